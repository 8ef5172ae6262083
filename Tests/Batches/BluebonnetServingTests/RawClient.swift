// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetServing
import Foundation
import Glibc

/// A TCP connection to a responder on 127.0.0.1. Calls block: use it inside `blocking`.
final class RawClient {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(_ address: ServingAddress, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(address.port).bigEndian
        name.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Sends text, as far as the other end accepts it.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Sends a GET without more fields than a host.
    func get(_ path: String, _ fields: String...) {
        send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n")
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received += buffer[..<count] }
        return count > 0
    }

    /// Receives until a text is there, and returns the bytes up to its end; nil if the connection ends before.
    func text(upTo end: String) -> String? {
        let mark = Array(end.utf8)
        while true {
            if let range = received.firstRange(of: mark) {
                defer { received.removeFirst(range.upperBound) }
                return String(decoding: received[..<range.upperBound], as: UTF8.self)
            }
            guard receive() else { return nil }
        }
    }

    /// Receives until the other end closes the connection.
    func rest() -> String {
        while receive() {}
        return String(decoding: received, as: UTF8.self)
    }

    /// Receives one response with a length, and returns its status and its body.
    func response() -> (status: Int, body: String)? {
        guard let head = text(upTo: "\r\n\r\n"), let status = Int(head.dropFirst(9).prefix(3)),
            let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap({ Int($0.output.1) })
        else { return nil }
        while received.count < length { guard receive() else { return nil } }
        defer { received.removeFirst(length) }
        return (status, String(decoding: received[..<length], as: UTF8.self))
    }
}

/// Runs work that blocks on a new thread.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Result(catching: work)) }
    }
}
