// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc
import LoadClients
import Synchronization

/// An HTTP/1.1 server on ports of 127.0.0.1 that records each request and always gives the same answer.
///
/// Each port and each connection has its own thread. A connection's thread ends when the client closes.
final class RecordingServer: Sendable {
    private struct Record {
        var requests: [RecordedRequest] = []
        var connections: [Int: Int] = [:]
        var mostConnections = 0
    }

    private let listeners: [CInt]
    private let answer: [UInt8]
    private let record = Mutex(Record())
    /// The server's origins.
    let origins: [String]

    init(originCount: Int, status: Int = 200, body: String = JSONDocument.small.text) throws {
        let listeners = try (0..<originCount).map { _ in try Self.listener() }
        self.listeners = listeners.map(\.socket)
        origins = listeners.map { "http://127.0.0.1:\($0.port)" }
        let head = "HTTP/1.1 \(status) Status\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)"
        answer = Array("\(head)\r\n\r\n\(body)".utf8)
        for index in self.listeners.indices { Thread.detachNewThread { self.accept(index) } }
    }

    /// Refuses new connections.
    func stop() {
        for listener in listeners { shutdown(listener, CInt(SHUT_RDWR)) }
    }

    /// The requests in the form of `MixedRequest.text`.
    var texts: [String] { record.withLock { $0.requests.map(\.text) } }

    /// The number of requests per method.
    var methods: [String: Int] { counts { $0.method } }

    /// The number of requests per content type.
    var contentTypes: [String: Int] { counts { $0.fields["content-type"] } }

    /// The most simultaneous connections on one port.
    var mostConnections: Int { record.withLock { $0.mostConnections } }

    private func counts(_ key: (RecordedRequest) -> String?) -> [String: Int] {
        let keys = record.withLock { $0.requests.compactMap(key) }
        return Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

// MARK: - Threads

extension RecordingServer {
    private static func listener() throws -> (socket: CInt, port: UInt16) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw BenchmarkError("no free port on 127.0.0.1") }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func accept(_ index: Int) {
        while true {
            let connection = Glibc.accept(listeners[index], nil, nil)
            guard connection >= 0 else { break }
            countConnection(index, 1)
            Thread.detachNewThread {
                self.serve(connection, self.origins[index])
                self.countConnection(index, -1)
                close(connection)
            }
        }
        close(listeners[index])
    }

    private func countConnection(_ index: Int, _ change: Int) {
        record.withLock { record in
            let count = record.connections[index, default: 0] + change
            record.connections[index] = count
            record.mostConnections = max(record.mostConnections, count)
        }
    }

    private func serve(_ connection: CInt, _ origin: String) {
        var (received, buffer) = (Data(), [UInt8](repeating: 0, count: 4096))
        while true {
            while let request = RecordedRequest(from: &received, origin) {
                record.withLock { $0.requests.append(request) }
                guard send(connection, answer, answer.count, CInt(MSG_NOSIGNAL)) == answer.count else {
                    return
                }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            received.append(contentsOf: buffer[..<count])
        }
    }
}

/// A request as it arrived.
private struct RecordedRequest {
    let method: String
    private let url: String
    /// The fields, by lowercase name.
    let fields: [String: String]
    private let body: String

    /// Removes a request from the front of the received bytes. Returns nil if the request is incomplete.
    init?(from received: inout Data, _ origin: String) {
        guard let end = received.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let pairs = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
        }
        let fields = Dictionary(pairs, uniquingKeysWith: { "\($0), \($1)" })
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        guard received.distance(from: end.upperBound, to: received.endIndex) >= length else { return nil }
        let bodyEnd = received.index(end.upperBound, offsetBy: length)
        body = String(decoding: received[end.upperBound..<bodyEnd], as: UTF8.self)
        let words = lines[0].components(separatedBy: " ")
        (method, url) = (words[0], "http://\(fields["host"] ?? "")\(words[1])")
        self.fields = url.hasPrefix(origin) ? fields : [:]
        received = Data(received[bodyEnd...])
    }

    /// The request in the form of `MixedRequest.text`.
    var text: String {
        let names = [
            MixedRequest.Field.traceParent, MixedRequest.Field.idempotencyKey, MixedRequest.Field.authorization,
        ]
        return ([url] + names.map { "\($0): \(fields[$0.lowercased()] ?? "missing")" } + [body]).joined(separator: "\n")
    }
}
