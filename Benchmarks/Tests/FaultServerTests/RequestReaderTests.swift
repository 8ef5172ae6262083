// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import FaultServer
import Testing

@Suite struct RequestReaderTests {
    /// The requests, with their bodies, that the reader finds if the text arrives byte by byte.
    private func requests(_ text: String) -> [(lines: [String], body: String)] {
        var reader = RequestReader()
        var requests: [(lines: [String], body: String)] = []
        for byte in text.utf8 {
            for event in reader.read([byte]) {
                switch event {
                case .head(let request): requests.append((request.lines, ""))
                case .body(let bytes): requests[requests.count - 1].body += String(decoding: bytes, as: UTF8.self)
                case .end: requests[requests.count - 1].body += "."
                }
            }
        }
        return requests
    }

    @Test func bodyHasTheLengthFromTheHead() {
        let found = requests("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n\r\n")
        #expect(found.map(\.lines) == [["POST /a HTTP/1.1", "Content-Length: 3"], ["GET /b HTTP/1.1"]])
        #expect(found.map(\.body) == ["abc.", "."])
    }

    @Test func chunksAreJoined() {
        let found = requests(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        #expect(found.map(\.body) == ["abc.", "."])
    }

    @Test func injectedLinesAreLinesOfTheHead() {
        #expect(
            requests("GET / HTTP/1.1\r\nX-A: a\nX-B: b\r\n\r\n").map(\.lines) == [
                ["GET / HTTP/1.1", "X-A: a", "X-B: b"]
            ])
    }

    @Test func unfinishedRequestHasNoEnd() {
        #expect(requests("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab").map(\.body) == ["ab"])
        #expect(requests("GET / HTTP/1.1\r\n").isEmpty)
    }
}
