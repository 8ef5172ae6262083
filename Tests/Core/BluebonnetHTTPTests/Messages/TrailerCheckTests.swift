// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

@Suite struct TrailerCheckTests {
    /// RFC 9110, 6.5.1.
    @Test(arguments: [
        "Transfer-Encoding", "content-length", "HOST", "Connection", "Trailer", "TE", "Authorization", "Cookie",
        "Set-Cookie", "Cache-Control", "Expect", "Range", "If-Match", "if-none-match", "Content-Type",
        "Content-Encoding", "Content-Range", "Date",
    ])
    func fieldOfTheHeadIsRefused(name: String) {
        let error = #expect(throws: NetworkingError.self) { try TrailerCheck.check(HeaderFields([(name, "1")])) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "the field \(name) must be in the header section, not in the trailers")
    }

    @Test(arguments: ["Digest", "Repr-Digest", "X-Sum", "grpc-status", "ETag", "Server-Timing", "Iffy"])
    func otherFieldIsAccepted(name: String) throws {
        try TrailerCheck.check(HeaderFields([(name, "1"), (name, "")]))
    }

    @Test(arguments: [("X Sum", "1"), ("", "1"), ("X:", "1"), ("X-Sum", "a\nb"), ("X-Sum", "a\0")])
    func fieldThatCannotBeSentIsRefused(name: String, value: String) {
        let error = #expect(throws: NetworkingError.self) { try TrailerCheck.check(HeaderFields([(name, value)])) }
        #expect(error?.code == .invalidRequest)
    }

    /// Each line has a colon, a space, CR and LF. The empty line is the end.
    @Test func sectionHasALimit() throws {
        func fields(_ byteCount: Int) -> HeaderFields {
            HeaderFields([30_000, byteCount].map { ("A", String(repeating: "v", count: $0)) })
        }
        let rest = TrailerCheck.byteLimit - 30_000 - 2 * 5 - 2
        try TrailerCheck.check(fields(rest))
        #expect(throws: NetworkingError.self) { try TrailerCheck.check(fields(rest + 1)) }
    }
}
