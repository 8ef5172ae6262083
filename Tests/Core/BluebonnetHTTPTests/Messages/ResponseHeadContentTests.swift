// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import BluebonnetHTTP

@Suite struct ResponseHeadContentTests {
    private static let url = URL(string: "http://h/a/b.txt")!

    private func head(_ type: String?, status: Int = 200, method: String? = nil) -> ResponseHead {
        let headers: HeaderFields = type.map { ["Content-Type": $0] } ?? [:]
        return ResponseHead(url: Self.url, statusCode: status, headers: headers, method: method)
    }

    @Test func mediaTypeAndCharsetAreReadFromContentType() {
        let head = head("Text/HTML ; Charset=\"ISO-8859-1\"; q=1")
        #expect(head.contentType == "Text/HTML ; Charset=\"ISO-8859-1\"; q=1")
        #expect(head.mediaType == "text/html")
        #expect(head.charset == "iso-8859-1")
        #expect(head.textEncoding == .isoLatin1)
        let bare = self.head(nil)
        #expect(bare.contentType == nil && bare.mediaType == nil && bare.charset == nil)
        #expect(bare.textEncoding == .utf8 && self.head("a/b; charset=none-such").textEncoding == .utf8)
    }

    @Test func textIsDecodedByMarkOrCharset() {
        #expect(head("a/b; charset=iso-8859-1").text(of: Data([0xE9])) == "é")
        #expect(head("a/b").text(of: Data("é".utf8)) == "é")
        #expect(head("a/b; charset=iso-8859-1").text(of: Data([0xFE, 0xFF, 0, 0x41])) == "A")
        #expect(head("a/b").text(of: Data([0xE9])) == nil)
    }

    @Test(
        arguments: [
            (200, nil, false), (204, nil, true), (205, nil, true), (304, nil, true), (200, "HEAD", true),
            (200, "GET", false), (404, "HEAD", true),
        ] as [(Int, String?, Bool)])
    func statusAndMethodAllowMissingBody(status: Int, method: String?, mayLack: Bool) {
        #expect(head("a/b", status: status, method: method).mayLackBody == mayLack)
    }

    @Test(arguments: [("9", true), ("0", false)])
    func positiveContentLengthAllowsMissingBody(length: String, mayLack: Bool) {
        let head = ResponseHead(url: Self.url, statusCode: 200, headers: ["content-length": length])
        #expect(head.mayLackBody == mayLack)
        #expect(head.contentLength == Int64(length))
    }

    @Test func suggestedFileNameComesFromURLOrDisposition() {
        #expect(head(nil).suggestedFileName == "b.txt")
        let named = ResponseHead(
            url: Self.url, statusCode: 200, headers: ["Content-Disposition": "attachment; filename=c.txt"])
        #expect(named.suggestedFileName == "c.txt")
    }

    @Test func headIsMadeFromURLResponse() throws {
        let response = try #require(
            HTTPURLResponse(
                url: Self.url, statusCode: 201, httpVersion: "HTTP/1.1", headerFields: ["X-B": "1", "X-A": "2"]))
        let head = try #require(ResponseHead(response, method: "PUT"))
        #expect(head.url == Self.url && head.statusCode == 201 && head.method == "PUT")
        #expect(head.headers.map(\.description) == ["X-A: 2", "X-B: 1"])
    }

    @Test func urlResponseIsMadeOnce() async throws {
        let head = head("text/plain")
        let first = try #require(head.urlResponse)
        #expect(first.statusCode == 200 && first.value(forHTTPHeaderField: "content-type") == "text/plain")
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { head.urlResponse === first } }
            for await isSame in group { #expect(isSame) }
        }
    }
}
