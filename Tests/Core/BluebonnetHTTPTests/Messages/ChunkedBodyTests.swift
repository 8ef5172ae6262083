// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct ChunkedBodyTests {
    /// The result of reading a body.
    private struct Reading: Equatable {
        var content = ""
        var trailers: [String] = []
        /// The bytes after the end of the body; nil before the end.
        var rest: String?
        var code: NetworkingError.Code?

        /// Reads the text in slices of `sliceByteCount` bytes.
        init(_ text: String, sliceByteCount: Int) {
            var body = ChunkedBody()
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: sliceByteCount) {
                let slice = bytes[start..<min(start + sliceByteCount, bytes.count)]
                do {
                    try slice.withUnsafeBytes { try read($0, &body) }
                } catch {
                    code = (error as? NetworkingError)?.code
                    return
                }
            }
        }

        private mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: inout ChunkedBody) throws {
            var bytes = bytes
            while let part = try body.next(&bytes) {
                switch part {
                case .content(let piece): content += String(decoding: piece, as: UTF8.self)
                case .trailer(let line): trailers.append(String(decoding: line, as: UTF8.self))
                case .end: rest = ""
                }
            }
            if rest != nil { rest? += String(decoding: bytes, as: UTF8.self) }
        }
    }

    /// Reads the text in slices of every size. All results must agree.
    private func reading(_ text: String) -> Reading {
        let whole = Reading(text, sliceByteCount: text.utf8.count)
        for count in 1..<text.utf8.count {
            #expect(Reading(text, sliceByteCount: count) == whole, "in slices of \(count)")
        }
        return whole
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"),
        ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
        ("0005\r\nhello\r\n000\r\n\r\n", "hello"), ("10\r\n0123456789abcdef\r\n0\r\n\r\n", "0123456789abcdef"),
        ("5;a\r\nhello\r\n0;b=c\r\n\r\n", "hello"), ("5 ; a=\"b;c\\\"\" \r\nhello\r\n0\r\n\r\n", "hello"),
        ("5;\u{e4}\t\r\nhello\r\n0\r\n\r\n", "hello"), ("5  \t\r\nhello\r\n0 \r\n\r\n", "hello"),
        ("5\nhello\n0\n\n", "hello"), ("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
    ])
    func chunksAreDecoded(text: String, content: String) {
        let reading = reading(text)
        #expect(reading.content == content)
        #expect(reading.rest == "")
        #expect(reading.trailers == [])
        #expect(reading.code == nil)
    }

    @Test(arguments: [
        "\r\nhello", "zz\r\n", "-5\r\nhello", "+5\r\nhello", "0x5\r\nhello", " 5\r\nhello", ";a\r\nhello",
        "5 5\r\nhello", "5,5\r\nhello", "5\r5\r\nhello", "5g\r\nhello", "5.0\r\nhello", "5\u{0}\r\nhello",
        "5;\r\nhello", "5; \t\r\nhello", "5;\nhello", "5;a;\r\nhello", "0;\r\n\r\n", "5;a\u{0}\r\nhello",
        "5;a\rb\r\nhello", "5;a\u{7f}\r\nhello", "5 a\r\nhello", "5;\u{1}\r\nhello",
        "8000000000000000\r\n", "00000000000000005\r\nhello", "10000000000000005\r\nhello", "ffffffffffffffff\r\n",
        "5\r\nhelloX", "5\r\nhello0\r\n\r\n", "5\r\nhello\rX", "5\r\nhello\r\r\n", "5\r\nhello\r\n\r\n0\r\n\r\n",
    ])
    func malformedChunkIsRefused(text: String) {
        let reading = reading(text)
        #expect(reading.code == .badServerResponse)
        #expect(reading.rest == nil)
    }

    @Test(arguments: [
        "", "5", "5\r", "5\r\nhell", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n", "0\r\nA: b\r\n",
    ])
    func truncatedBodyHasNoEnd(text: String) {
        let reading = Reading(text, sliceByteCount: 1)
        #expect(reading.rest == nil)
        #expect(reading.code == nil)
    }

    @Test func largestChunkSizeIsAccepted() {
        #expect(reading("7fffffffffffffff\r\nhello").content == "hello")
        #expect(reading("0000000000000005\r\nhello").content == "hello")
    }

    @Test func trailersAreReturnedAsLines() {
        let reading = reading("1\r\na\r\n0\r\nA: 1\r\n b\r\nC: \r\n\r\nHTTP/1.1")
        #expect(reading.content == "a")
        #expect(reading.trailers == ["A: 1\r\n", " b\r\n", "C: \r\n"])
        #expect(reading.rest == "HTTP/1.1")
    }

    @Test func lineLengthIsLimited() {
        func code(_ text: String) -> NetworkingError.Code? { Reading(text, sliceByteCount: 1000).code }
        let fill = String(repeating: "x", count: ChunkedBody.lineByteLimit - 4)
        #expect(code("1;\(fill)\r\na\r\n0\r\n\r\n") == nil)
        #expect(code("1;x\(fill)\r\na\r\n0\r\n\r\n") == .badServerResponse)
        #expect(code("0;x\(fill)") == nil)
        #expect(code("0;xxxx\(fill)") == .badServerResponse)
        #expect(code("0\r\nA:\(fill)\r\n\r\n") == nil)
        #expect(code("0\r\nA:x\(fill)\r\n\r\n") == .headersTooLarge)
        #expect(code("0\r\nA:xxx\(fill)") == .headersTooLarge)
    }
}
