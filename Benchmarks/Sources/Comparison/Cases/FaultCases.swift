// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// All cases, in the order of their groups.
package enum FaultCases {
    package static let all: [FaultCase] =
        plain + cut + framing + coding + head + leftover + redirect + credential + twice + http2 + input + time
        + cancellation + certificate + size

    /// A body of 1,000 bytes whose parts all differ.
    static let body = String((0..<250).map { String($0 + 1000) }.joined().prefix(1000))

    /// The head of a response with `body`.
    static let headOfBody = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    /// `body` in two chunks, without the last chunk.
    static let chunks = "1F4\r\n\(body.prefix(500))\r\n1f4\r\n\(body.dropFirst(500))\r\n"

    /// A head without a length.
    static let openHead = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
