// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetServing

@Suite struct RequestParserTests {
    private static func step(_ text: String) -> RequestParser.Step {
        var parser = RequestParser()
        parser.append(Array(text.utf8))
        return parser.next()
    }

    private static func request(_ text: String) throws -> ServedRequest {
        guard case .request(let request) = step(text) else {
            throw RequestRefusal(status: 0, message: "\(step(text))")
        }
        return request
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "/", "h", false),
        ("\r\nGET /a/b HTTP/1.1\r\nHOST:\t h:80 \t\r\n\r\n", "/a/b", "h:80", false),
        ("GET / HTTP/1.0\r\nHost: H\r\n\r\n", "/", "h", true),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: te, Close\r\n\r\n", "/", "h", true),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", "/", "h", false),
        ("GET http://Other:8080/x HTTP/1.1\r\nHost: h\r\n\r\n", "/x", "other:8080", false),
        ("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", "/", "h", false),
        ("GET /%41 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "/%41", "h", false),
        ("GET / HTTP/1.1\r\nHost: h\r\nX:\r\n\r\n", "/", "h", false),
    ]) func requestIsRead(text: String, path: String, host: String, isLast: Bool) throws {
        let request = try Self.request(text)
        #expect(request.method == .get)
        #expect((request.path, request.host, request.isLast) == (path, host, isLast))
    }

    @Test(
        arguments: [
            ("", [:]), ("?", [:]), ("?a", ["a": ""]), ("?a=", ["a": ""]), ("?a=1&b=2", ["a": "1", "b": "2"]),
            ("?a=1&a=2", ["a": "1"]), ("?n=%C3%A4+b%2B", ["n": "ä b+"]), ("?a=b=c&&", ["a": "b=c"]), ("?=x", ["": "x"]),
        ] as [(String, [String: String])]) func queryIsDecoded(query: String, parameters: [String: String]) throws
    {
        let request = try Self.request("GET /p\(query) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(request.query == parameters)
        #expect(request.path == "/p")
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHost: h\r\n\r\n", 405), ("get / HTTP/1.1\r\nHost: h\r\n\r\n", 405),
        ("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 405), ("GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505), ("GET / http/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("\r\n\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: h\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\0\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 413),
        ("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n", 413),
        ("GET /?a=%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET /?a=%F HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET /?a=%FF HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET /?a=%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET /\u{E4} HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET https://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET http:/// HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}\r\n\r\n", 400),
    ]) func otherRequestIsRefused(text: String, status: Int) {
        guard case .refusal(let refusal) = Self.step(text) else {
            Issue.record("\(text.debugDescription) was not refused: \(Self.step(text))")
            return
        }
        #expect(refusal.status == status)
    }

    @Test(arguments: [1, 2, 3, 100]) func oneEmptyLineIsIgnoredBeforeEachRequest(pieceLength: Int) {
        let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        for (lines, isRead) in [("", true), ("\r\n", true), ("\r\n\r\n", false), ("\r\n\r\n\r\n", false)] {
            let bytes = Array("\r\n\(request)\(lines)\(request)".utf8)
            let starts = Array(stride(from: 0, to: bytes.count, by: pieceLength))
            let steps = Self.steps(bytes, pieces: starts.map { min(pieceLength, bytes.count - $0) })
            let count = steps.filter { if case .request = $0 { true } else { false } }.count
            #expect(count == (isRead ? 2 : 1), "\(lines.debugDescription)")
        }
    }

    @Test func headMayArriveByteByByte() {
        let text = "GET /a?b=c HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer x\r\n\r\n"
        var parser = RequestParser()
        for byte in text.utf8.dropLast() {
            parser.append([byte])
            #expect(parser.next() == .incomplete)
        }
        parser.append("\n".utf8)
        let expected = ServedRequest(
            method: .get, path: "/a", query: ["b": "c"], host: "h", authorization: "Bearer x", isLast: false)
        #expect(parser.next() == .request(expected))
        #expect(!parser.hasBytes && parser.next() == .incomplete)
    }

    @Test func pipelinedRequestsAreReadInOrder() throws {
        var parser = RequestParser()
        parser.append("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3 HT".utf8)
        var paths: [String] = []
        while case .request(let request) = parser.next() { paths.append(request.method.rawValue + request.path) }
        #expect(paths == ["GET/1", "HEAD/2"])
        parser.append("TP/1.1\r\nHost: h\r\n\r\n".utf8)
        guard case .request(let last) = parser.next() else { throw RequestRefusal.malformed }
        #expect(last.path == "/3")
    }

    @Test func nothingFollowsARefusal() {
        var parser = RequestParser()
        parser.append("PUT / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        #expect(parser.next() == .refusal(.method))
        parser.append("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        #expect(parser.next() == .refusal(.method))
    }

    @Test(arguments: [(8_192, true), (8_193, false), (100_000, false)])
    func headIsLimited(byteCount: Int, isAccepted: Bool) {
        let start = "GET / HTTP/1.1\r\nHost: h\r\nX: "
        let head = start + String(repeating: "x", count: byteCount - start.utf8.count - 4) + "\r\n\r\n"
        #expect(head.utf8.count == byteCount)
        if case .request = Self.step(head) { #expect(isAccepted) } else { #expect(!isAccepted) }
        if !isAccepted { #expect(Self.step(head) == .refusal(.tooLarge)) }
    }

    @Test func headWithoutEndIsRefusedAtTheLimit() {
        var parser = RequestParser(headLimit: 100)
        parser.append([UInt8](repeating: 0x61, count: 100))
        #expect(parser.next() == .incomplete)
        parser.append([0x61])
        #expect(parser.next() == .refusal(.tooLarge))
        #expect(!parser.hasBytes)
    }

    @Test(arguments: [(63, true), (64, false)]) func fieldsAreLimited(count: Int, isAccepted: Bool) {
        let fields = String(repeating: "A: b\r\n", count: count)
        let step = Self.step("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        #expect((step == .refusal(.tooLarge)) == !isAccepted)
    }

    /// A generator with a seed: the same inputs in each run.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ state >> 29) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    private static func steps(_ bytes: [UInt8], pieces: [Int]) -> [RequestParser.Step] {
        var parser = RequestParser(headLimit: 200, fieldLimit: 4)
        var (steps, rest) = ([RequestParser.Step](), bytes[...])
        for count in pieces + [bytes.count] {
            parser.append(rest.prefix(count))
            rest = rest.dropFirst(count)
            while true {
                let step = parser.next()
                if step == .incomplete { break }
                steps.append(step)
                if case .refusal = step { return steps }
            }
        }
        return steps
    }

    /// Changed requests are read in one way, however they are split, and no accepted text has a line end.
    @Test func changedRequestsAreReadInOneWay() {
        var random = Seeded(state: 52)
        let texts = [
            "GET /a?b=%41&c=+ HTTP/1.1\r\nHost: h:80\r\nConnection: close\r\n\r\n",
            "HEAD http://h/ HTTP/1.0\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
        ]
        var acceptedCount = 0
        for _ in 0..<5_000 {
            var bytes = Array(texts.randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                default: bytes.insert(contentsOf: Array("\r\n :%".utf8).shuffled(using: &random).prefix(2), at: index)
                }
            }
            let whole = Self.steps(bytes, pieces: [])
            let pieces = (0..<4).map { _ in Int.random(in: 0...40, using: &random) }
            #expect(Self.steps(bytes, pieces: pieces) == whole)
            for case .request(let request) in whole {
                acceptedCount += 1
                #expect(request.path.hasPrefix("/") && request.path.utf8.allSatisfy { (0x21...0x7E).contains($0) })
                let texts = [request.host, request.authorization ?? ""]
                #expect(texts.allSatisfy { !$0.utf8.contains { [0, 0x0A, 0x0D].contains($0) } })
            }
        }
        #expect(acceptedCount > 1_000)
    }
}
