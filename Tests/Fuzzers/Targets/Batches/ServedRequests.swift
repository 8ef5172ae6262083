// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetServing

extension FuzzTarget {
    /// The bytes of a connection to the responder of status pages and metrics: the first byte is the length of the
    /// pieces in which they arrive.
    static let servedRequests = FuzzTarget("served-requests") { input in
        var input = input
        let length = 1 + input.number(below: 64)
        let bytes = Array(input.rest)
        let (headLimit, fieldLimit) = (1_024, 8)
        var parser = RequestParser(headLimit: headLimit, fieldLimit: fieldLimit)
        let whole = try steps(of: &parser, bytes, length: max(1, bytes.count))
        var second = RequestParser(headLimit: headLimit, fieldLimit: fieldLimit)
        try holdSame(try steps(of: &second, bytes, length: length), whole, "pieces of \(length) bytes are read alike")
        for step in whole {
            guard case .request(let request) = step else { continue }
            try check(request)
            try checkAgain(request)
        }
    }

    /// The requests and the refusal in the bytes. There is nothing after a refusal.
    private static func steps(
        of parser: inout RequestParser, _ bytes: [UInt8], length: Int
    ) throws(FuzzFinding) -> [RequestParser.Step] {
        var steps: [RequestParser.Step] = []
        var rest = bytes[...]
        repeat {
            parser.append(rest.prefix(length))
            rest = rest.dropFirst(length)
            var step = parser.next()
            while case .request = step {
                steps.append(step)
                step = parser.next()
            }
            guard case .refusal(let refusal) = step else { continue }
            try hold([400, 405, 413, 431, 505].contains(refusal.status), "\(refusal.status) refuses a request")
            parser.append(Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
            try holdSame(parser.next(), step, "a connection stays refused")
            try hold(!parser.hasBytes, "a refused connection keeps no bytes")
            return steps + [step]
        } while !rest.isEmpty
        return steps
    }

    private static func check(_ request: ServedRequest) throws(FuzzFinding) {
        let path = request.path.utf8
        try hold(path.first == UInt8(ascii: "/"), "the path \(request.path) is absolute")
        try hold(
            path.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "?") },
            "the path \(request.path) has no space and no query")
        for text in [request.host, request.authorization ?? ""] + request.query.keys + request.query.values {
            try hold(!text.utf8.contains(0), "\(text) has no NUL")
        }
        for text in [request.host, request.authorization ?? ""] {
            try hold(!text.utf8.contains { $0 == 0x0D || $0 == 0x0A }, "\(text) is one line")
        }
        try holdSame(request.host, request.host.lowercased(), "the host is in lower case")
    }

    /// A request that is written out is read as the same request.
    private static func checkAgain(_ request: ServedRequest) throws(FuzzFinding) {
        let pairs = request.query.map { escaped($0.key) + "=" + escaped($0.value) }
        let query = pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
        var text = "\(request.method.rawValue) \(request.path)\(query) HTTP/1.1\r\nHost: \(request.host)\r\n"
        if let authorization = request.authorization { text += "Authorization: \(authorization)\r\n" }
        if request.isLast { text += "Connection: close\r\n" }
        var parser = RequestParser(headLimit: 1 << 16, fieldLimit: 3)
        parser.append(Array((text + "\r\n").utf8))
        try holdSame(parser.next(), .request(request), "a request that is written again")
        try hold(!parser.hasBytes, "a request is read to its end")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 0x10 ? "%0" + digits : "%" + digits
        }.joined()
    }
}
