// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct TransferRequestTests {
    private func request(_ body: TransferBody, _ headers: [HeaderFields.Field] = []) throws -> TransferRequest {
        let url = try #require(URL(string: "http://h/"))
        return TransferRequest(
            url: url, origin: try #require(Origin(url)), method: "POST", headers: headers, body: body,
            poolKey: PoolKeyBox(TransferOptions().poolKey), limits: TransferRequest.Limits())
    }

    @Test func smallBodyIsCopiedUnlessItMustWait() throws {
        let body = TransferBody.data(Data("a".utf8))
        #expect(try request(body).copiedBody == Data("a".utf8))
        #expect(try request(body, [HeaderFields.Field(name: "X-Expect", value: "1")]).copiedBody != nil)
        #expect(try request(body, [HeaderFields.Field(name: "expect", value: "100-continue")]).copiedBody == nil)
    }

    @Test func largeAndMissingBodiesAreNotCopied() throws {
        #expect(try request(.data(Data(count: 65_535))).copiedBody?.count == 65_535)
        #expect(try request(.data(Data(count: 65_536))).copiedBody == nil)
        #expect(try request(.none).copiedBody == nil)
    }
}
