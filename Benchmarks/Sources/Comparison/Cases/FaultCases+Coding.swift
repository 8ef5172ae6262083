// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let coding: [FaultCase] = [
        coded("gzip-half", "Half of a member of gzip is an error.", whole.prefix(whole.count / 2)),
        coded("gzip-head-only", "The head of a member of gzip alone is an error.", whole.prefix(10)),
        coded("gzip-without-checksum", "A member of gzip without its end is an error.", whole.dropLast(8)),
        coded("gzip-half-checksum", "A member of gzip without its last byte is an error.", whole.dropLast()),
        coded("gzip-wrong-checksum", "A wrong checksum is an error.", changed(fromEnd: 8)),
        coded("gzip-wrong-length", "A wrong length at the end of a member is an error.", changed(fromEnd: 4)),
        coded("gzip-altered", "A body that was altered on the way is an error.", changed(fromEnd: 100)),
        coded(
            "gzip-two-members", "All members are the body (RFC 1952, 2.2).", whole[...] + Compressed.gzip("more"),
            .either(body + "more")),
        coded("gzip-junk-after", "Bytes after a member belong to no body.", whole[...] + bytes("JUNK"), .either(body)),
        coded("gzip-not-coded", "A body that is not coded is no decoded body.", bytes(body)[...], .either(body)),
        coded("gzip-empty", "An empty body needs no coding.", [], .either("")),
        coded("deflate-zlib", "deflate is decoded.", Compressed.zlib(body)[...], .success(body), "deflate"),
        coded(
            "deflate-half", "Half of a body in deflate is an error.", Compressed.zlib(body).dropLast(500), .failure,
            "deflate"),
        coded(
            "deflate-wrong-checksum", "A wrong checksum of zlib is an error.",
            Compressed.zlib(body).dropLast() + [Compressed.zlib(body).last.map { $0 ^ 1 } ?? 0], .failure, "deflate"),
        coded(
            "deflate-raw", "Raw deflate is decoded or an error.", Compressed.rawDeflate(body)[...], .either(body),
            "deflate"),
        coded(
            "gzip-named-x", "x-gzip is decoded (RFC 9110, 8.4.1.3), left as it is, or an error.", whole[...],
            .either([Answer(200, body), Answer(200, bytes: whole)]), "x-gzip"),
        FaultCase(
            "gzip-chunked-half", .coding, "The last chunk does not complete half of a member of gzip.",
            .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n200\r\n"),
            .bytes(Array(whole.prefix(512))), .text("\r\n0\r\n\r\n"), expect: .failure),
        FaultCase(
            "gzip-to-the-end-half", .coding, "The end of a connection does not complete half of a member of gzip.",
            .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"),
            .bytes(Array(whole.prefix(512))), .close, expect: .failure),
        FaultCase(
            "gzip-download-half", .coding, "Half of a member of gzip is no file.",
            [ServerPlan(.plain, .text(gzipHead(512)), .bytes(Array(whole.prefix(512))))],
            [.init(expect: .failure) { $0.downloads = true }]),
        FaultCase(
            "gzip-for-head", .coding, "A response to HEAD has nothing to decode.",
            [ServerPlan(.plain, .text(gzipHead(512)))], [.init("HEAD", expect: .success(""))]),
    ]

    private static let whole = Compressed.gzip(body)

    /// Returns a gzip member with one bit changed, `count` bytes before its end.
    private static func changed(fromEnd count: Int) -> ArraySlice<UInt8> {
        var bytes = whole
        bytes[bytes.count - count] ^= 1
        return bytes[...]
    }

    private static func coded(
        _ name: String, _ rule: String, _ content: ArraySlice<UInt8>, _ expectation: Expectation = .failure,
        _ coding: String = "gzip"
    ) -> FaultCase {
        FaultCase(
            name, .coding, rule, .text(gzipHead(content.count, coding)), .bytes(Array(content)), expect: expectation)
    }
}
