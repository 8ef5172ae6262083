// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct HTTPResponseSerializerTests {
    @Test func bodyIsDeliveredUnchanged() throws {
        let response = ResponseHead(url: URL(string: "http://h/")!, statusCode: 200)
        #expect(HTTPResponseSerializer().value(for: response, body: Data([0, 255])) == Data([0, 255]))
    }

    @Test func responseOfAnyTypeWithASuccessStatusIsAccepted() {
        let validation = HTTPResponseSerializer().validation
        for status in [200, 204, 299] {
            #expect(validation.refusal(status: status, contentType: "x/y", bodyIsEmpty: false) == nil)
            #expect(validation.refusal(status: status, contentType: nil, bodyIsEmpty: false) == nil)
        }
        for status in [100, 199, 300, 404, 500] {
            let refusal = validation.refusal(status: status, contentType: nil, bodyIsEmpty: true)
            #expect(refusal?.code == .unacceptableStatus)
        }
    }

    @Test func validationCanBeChosen() {
        let serializer = HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: [404]))
        #expect(serializer.validation.accepts(status: 404))
        #expect(!serializer.validation.accepts(status: 200))
    }
}
