// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct ResponseValidationTests {
    private func code(_ types: Set<String>?, status: Int = 200, _ type: String?, isEmpty: Bool = false)
        -> NetworkingError.Code?
    {
        ResponseValidation(acceptableContentTypes: types).refusal(
            status: status, contentType: type, bodyIsEmpty: isEmpty)?.code
    }

    @Test func typesAreComparedWithoutParametersAndCase() {
        #expect(code(["Text/Plain"], "text/PLAIN; charset=utf-8") == nil)
        #expect(code(["text/plain"], " text/plain ;a=b") == nil)
        #expect(code(["text/plain"], "text/plainer") == .unacceptableContentType)
    }

    @Test func typesThatAreSetLaterAreComparedWithoutCaseToo() {
        var validation = ResponseValidation()
        validation.acceptableContentTypes = ["Text/Plain"]
        #expect(validation.refusal(status: 200, contentType: "text/plain", bodyIsEmpty: false) == nil)
    }

    @Test func starStandsForAnyText() {
        #expect(code(["image/*"], "image/png") == nil)
        #expect(code(["image/*"], "image/") == .unacceptableContentType)
        #expect(code(["image/*"], "images/png") == .unacceptableContentType)
        #expect(code(["*/*"], "a/b") == .unacceptableContentType)
        #expect(code(["*"], "a/b") == nil)
        #expect(code(["a/x*x"], "a/x") == .unacceptableContentType)
    }

    @Test func aMissingTypeIsAcceptedOnlyWithoutABody() {
        #expect(code(["a/b"], nil, isEmpty: true) == nil)
        #expect(code(["a/b"], nil) == .unacceptableContentType)
        #expect(code(["a/b"], "c/d", isEmpty: true) == .unacceptableContentType)
        #expect(code(nil, nil) == nil)
    }

    @Test func theStatusIsReportedBeforeTheType() {
        #expect(code(["a/b"], status: 500, "c/d") == .unacceptableStatus)
    }

    @Test func statusOfAnyKindIsAcceptedWithoutCodes() {
        let validation = ResponseValidation(acceptableStatusCodes: nil)
        #expect(validation.accepts(status: 599))
        #expect(validation.refusal(status: 404, contentType: nil, bodyIsEmpty: false) == nil)
    }
}
