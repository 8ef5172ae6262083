// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct RequestHeadSizeTests {
    private func size(_ url: String, _ fields: [(String, String)] = []) throws -> RequestHeadSize {
        let url = try #require(URL(string: url))
        let headers = fields.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }
        let origin = try #require(Origin(url))
        return RequestHeadSize(TransferRequest(url: url, origin: origin, method: "GET", headers: headers))
    }

    /// "Accept" and "Content-Length" have room in the 128 bytes that are added.
    @Test func aTextIsTheLinesThatGoOut() throws {
        let head = "GET /p?q HTTP/1.1\r\nHost: h:81\r\nX-A: bc\r\nX-D: \r\n\r\n"
        let size = try size("http://h:81/p?q#fragment", [("X-A", "bc"), ("X-D", "")])
        #expect(size.byteCount(.text(bodyByteCount: 0)) == head.utf8.count + 128)
        #expect(size.byteCount(.text(bodyByteCount: 1000)) == head.utf8.count + 1128)
    }

    @Test func aBlockHasThirteenBytesMoreForEachField() throws {
        let one = try size("https://h/", [("a", "b")]).byteCount(.block)
        let two = try size("https://h/", [("a", "b"), ("cd", "efg")]).byteCount(.block)
        #expect(two - one == 5 + 13)
    }

    @Test(arguments: [RequestHeadSize.Form.text(bodyByteCount: 0), .block])
    func theLimitIsExact(form: RequestHeadSize.Form) throws {
        let empty = try size("https://h/", [("X-A", "")]).byteCount(form)
        let rest = form.limit - empty
        #expect(try size("https://h/", [("X-A", String(repeating: "a", count: rest))]).fault(form) == nil)
        let fault = try size("https://h/", [("X-A", String(repeating: "a", count: rest + 1))]).fault(form)
        #expect(fault?.code == .invalidRequest)
        #expect(fault?.message.contains(": \(form.limit + 1) bytes, \(rest + 1) of them in the header X-A; ") == true)
        let long = try size("https://h/", [("X-A", String(repeating: "a", count: rest - 1000))])
        #expect(long.fault(form, secretByteCount: 1000) == nil)
        let secret = long.fault(form, secretByteCount: 1001)
        #expect(secret?.message.contains("\(form.limit - 1000) bytes, and cookies or credentials besides, ") == true)
    }
}
