// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let framing: [FaultCase] =
        badLengths + goodChunks + badChunks + [
            FaultCase(
                "length-twice-equal", .framing, "Equal lengths may be taken as one (RFC 9110, 8.6).",
                .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
                expect: .either("hello")),
            FaultCase(
                "length-list-equal", .framing, "A list of equal lengths may be taken as one (RFC 9110, 8.6).",
                .text("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello"), expect: .either("hello")),
            FaultCase(
                "length-and-chunks", .framing, "Chunks count more than a length, or both together are an error.",
                .text(
                    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
                .close, expect: .either("hello")),
            FaultCase(
                "length-before-space", .framing, "A space before the colon changes no length.",
                .text("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello"), .close, expect: .either("hello")),
            FaultCase(
                "chunks-http-1.0", .framing, "Chunks in HTTP/1.0 are decoded or an error, never delivered.",
                .text("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), .close,
                expect: .either("hello")),
            FaultCase(
                "chunks-named-twice", .framing, "Chunks that two fields name are decoded or an error, never delivered.",
                .text(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nhello\r\n0\r\n\r\n"), .close, expect: .either("hello")),
            FaultCase(
                "chunks-without-end", .framing, "A body whose last chunk does not come ends by a time limit.",
                .text(chunkedHead + chunks), .stall, expect: .failure),
        ]

    /// RFC 9112, 6.3: the client must discard such a response.
    private static let badLengths = [
        ("differing", "5\r\nContent-Length: 6"), ("list-differing", "5, 6"), ("negative", "-5"), ("plus", "+5"),
        ("hexadecimal", "0x5"), ("letters", "five"), ("empty", ""), ("two-numbers", "5 5"), ("fraction", "5.0"),
        ("overflow", "18446744073709551621"), ("overflow-signed", "9223372036854775813"),
    ].map { name, text in
        FaultCase(
            "length-\(name)", .framing,
            "A response with the length `\(text.replacing("\r\n", with: "; "))` is an error.",
            .text("HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r\nhello"), .close, expect: .failure)
    }

    private static let goodChunks = [
        ("extension", "5;a=b\r\nhello\r\n0\r\n\r\n", "Chunk extensions are ignored (RFC 9112, 7.1.1)."),
        ("leading-zeros", "0005\r\nhello\r\n000\r\n\r\n", "A chunk's size may begin with zeros."),
        ("quoted-extension", "5;a=\"b;c\"\r\nhello\r\n0\r\n\r\n", "Quoted chunk extensions are ignored."),
    ].map { name, text, rule in
        FaultCase("chunk-\(name)", .framing, rule, .text(chunkedHead + text), .close, expect: .success("hello"))
    }

    private static let badChunks = [
        ("negative", "-5\r\nhello\r\n0\r\n\r\n", "A negative size is an error."),
        ("plus", "+5\r\nhello\r\n0\r\n\r\n", "A size with a sign is an error."),
        ("prefix", "0x5\r\nhello\r\n0\r\n\r\n", "A size with a prefix is an error."),
        ("letters", "zz\r\nhello\r\n0\r\n\r\n", "A size that is no number is an error."),
        ("empty", "\r\nhello\r\n0\r\n\r\n", "An empty size is an error."),
        ("two-sizes", "5 5\r\nhello\r\n0\r\n\r\n", "Two sizes in a line are an error."),
        ("overflow", "10000000000000005\r\nhello\r\n0\r\n\r\n", "A size beyond 64 bits is an error."),
        ("without-line-end", "5\r\nhello0\r\n\r\n", "A chunk's data ends with a line's end."),
        ("too-long", "5\r\nhello you\r\n0\r\n\r\n", "A chunk's data is not longer than its size."),
        ("too-short", "9\r\nhello\r\n0\r\n\r\n", "A chunk's data is not shorter than its size."),
    ].map { name, text, rule in
        FaultCase("chunk-\(name)", .framing, rule, .text(chunkedHead + text), .close, expect: .failure)
    }
}
