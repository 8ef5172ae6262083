// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct RequestHeadSizeTests {
    private func bound(
        url: String = "http://h/", _ headers: [HeaderFields.Field] = [], proxyCredential: Int = 0, usesJar: Bool = false
    ) -> Int {
        RequestHeadSize(
            method: "GET", url: url, host: "h", headers: headers, proxyCredentialByteCount: proxyCredential,
            usesJar: usesJar
        ).upperBound
    }

    private func text(_ byteCount: Int) -> String { String(repeating: "x", count: byteCount) }

    @Test func everyPartOfTheHeadCounts() {
        let least = bound()
        #expect(bound(url: "http://h/" + text(4000)) >= bound(url: "http://h/" + text(2000)) + 2000)
        #expect(bound([HeaderFields.Field(name: "name", value: "välue")]) >= least + 4 + 6 + 4)
        #expect(bound(proxyCredential: 3000) >= least + 4000)
        #expect(bound(usesJar: true) >= least + 8190)
        #expect(bound(url: "http://\(text(30_000))@h/") >= least + 30_000 + 40_000)
    }

    /// Everything after the authority is sent unchanged.
    @Test(arguments: ["/a@b", "?a@b", "#a@b", "/?mail=a@b&url=http://c@d/"])
    func atSignAfterTheAuthorityIsNoUserInformation(end: String) {
        for start in ["http://h", "http://user:word@h"] {
            let url = start + end
            #expect(bound(url: url + text(30_000)) == bound(url: url) + 30_000)
        }
    }

    @Test func userInformationEndsAtTheLastAtSign() {
        #expect(bound(url: "http://u@v@h/") == bound(url: "http://uuuuh/") + 2 * 3)
    }

    // MARK: - Effects of the size

    @Test func smallRequestHasTheSmallestBuffer() throws {
        #expect(try request(fieldByteCount: 0).sendingBufferByteCount == 16 * 1024)
        #expect(try request(fieldByteCount: 14_000).sendingBufferByteCount == 16 * 1024)
        #expect(try request(fieldByteCount: 0, .data(Data(count: 8192))).sendingBufferByteCount == 16 * 1024)
    }

    @Test(arguments: [10, 16, 20, 50, 64, 100, 200, 256, 300, 600, 900, 1023])
    func headThatMustBeSentWholeFitsItsBuffer(kibibytes: Int) throws {
        let stream = TransferBody.stream(BodyFeed(declaredByteCount: nil) { InputStream(data: Data()) })
        for body in [TransferBody.none, stream] {
            let request = try request(fieldByteCount: kibibytes * 1024, body)
            #expect(request.sendingBufferByteCount >= kibibytes * 1024)
            #expect(request.sendingBufferByteCount >= min(request.headSize.upperBound, 1 << 20))
        }
    }

    @Test func requestsWithHeadsOfDifferentSizesHaveDifferentSetups() throws {
        let small = try HandleSetup(request(fieldByteCount: 100))
        #expect(try HandleSetup(request(fieldByteCount: 200)) == small)
        let large = try HandleSetup(request(fieldByteCount: 20_000))
        #expect(large != small)
    }

    @Test func onlyHeadTooLargeForHTTP2ChangesTheVersion() throws {
        for version in [HTTPProtocolVersion.negotiated, .http1, .http2, .http2PriorKnowledge] {
            #expect(try request(fieldByteCount: 60_000, version: version).httpVersion == version)
            let sent = try request(fieldByteCount: 65_536, version: version).httpVersion
            #expect(sent == (version == .http2PriorKnowledge ? version : .http1))
        }
    }

    @Test func longQueryWithAtSignKeepsHTTP2() throws {
        let long = try request("https://h/?mail=a@b&" + text(60_000))
        #expect(long.httpVersion == .negotiated)
        let named = try request("https://\(text(20_000))@h/?" + text(20_000))
        #expect(named.httpVersion == .http1)
    }

    private func request(
        _ url: String = "https://h/", fieldByteCount: Int = 0, _ body: TransferBody = .none,
        version: HTTPProtocolVersion = .negotiated
    ) throws -> TransferRequest {
        let url = try #require(URL(string: url))
        let field = HeaderFields.Field(name: "X-Fill", value: text(fieldByteCount))
        return TransferRequest(
            url: url, origin: try #require(Origin(url)), method: "POST", headers: [field], body: body,
            limits: TransferRequest.Limits(httpVersion: version))
    }

    // MARK: - Exact sizes and the error

    private func get(_ url: String, _ fields: [(String, String)] = []) throws -> TransferRequest {
        let url = try #require(URL(string: url))
        let headers = fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }
        return TransferRequest(url: url, origin: try #require(Origin(url)), method: "GET", headers: headers)
    }

    private func fault(
        _ request: TransferRequest, _ form: RequestHeadSize.Form, withAdditions: Bool = false
    ) -> NetworkingError? {
        request.headSize.error(form, of: request, withAdditions: withAdditions)
    }

    /// The added 128 bytes have space for "Accept" and "Content-Length".
    @Test func textSizeCountsTheSentLines() throws {
        let head = "GET /p?q HTTP/1.1\r\nHost: h:81\r\nX-A: bc\r\nX-D: \r\n\r\n"
        let request = try get("http://h:81/p?q#fragment", [("X-A", "bc"), ("X-D", "")])
        #expect(RequestHeadSize.byteCount(.text, of: request) == head.utf8.count + 128)
    }

    @Test func blockSizeAddsTwelveBytesPerField() throws {
        let one = try RequestHeadSize.byteCount(.block, of: get("https://h/", [("a", "b")]))
        let two = try RequestHeadSize.byteCount(.block, of: get("https://h/", [("a", "b"), ("cd", "efg")]))
        #expect(two - one == 5 + 12)
    }

    @Test(arguments: [RequestHeadSize.Form.text, .block])
    func exactSizesNeverExceedTheBound(form: RequestHeadSize.Form) throws {
        let requests = [
            try get("https://h/"), try get("https://u@h.example:81/p?q#f", [("X-A", text(10))]),
            try get("http://h/" + text(3000), (0..<100).map { ("n\($0)", "") }),
        ]
        for request in requests {
            #expect(RequestHeadSize.byteCount(form, of: request) <= request.headSize.upperBound)
        }
    }

    @Test(arguments: [RequestHeadSize.Form.text, .block]) func sizeLimitIsExact(form: RequestHeadSize.Form) throws {
        let empty = try RequestHeadSize.byteCount(form, of: get("https://h/", [("X-A", "")]))
        let rest = form.limit - empty
        let largest = try get("https://h/", [("X-A", text(rest))])
        #expect(fault(largest, form) == nil)
        let larger = fault(try get("https://h/", [("X-A", text(rest + 1))]), form)
        #expect(larger?.code == .invalidRequest)
        #expect(larger?.message.contains(": \(form.limit + 1) bytes, \(rest + 1) of them in the header X-A; ") == true)
        let more = largest.headSize.upperBound - form.limit
        let sentence = "\(form.limit) bytes, \(rest) of them in the header X-A, with up to \(more) bytes more for "
        #expect(fault(largest, form, withAdditions: true)?.message.contains(sentence) == true)
        let small = try get("https://h/", [("X-A", text(rest - 1000))])
        #expect(fault(small, form, withAdditions: true) == nil)
    }
}
