// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc

/// Accepts one HTTP request on a free port of 127.0.0.1, discards its body and answers 200, on its own thread. It
/// keeps at most 64 KiB, so that it can run in the process whose memory is measured.
final class DiscardServer: Sendable {
    /// The port.
    let port: UInt16
    private let listener: CInt

    init() throws {
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw BenchmarkError("no free port on 127.0.0.1") }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Accepts one request. Calls `done` with the number of received body bytes after the answer is sent.
    func acceptOne(_ done: @escaping @Sendable (Int64) -> Void) {
        Thread.detachNewThread { [listener] in
            let connection = accept(listener, nil, nil)
            let count = Self.discard(connection)
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = write(connection, answer, answer.count)
            close(connection)
            close(listener)
            done(count)
        }
    }

    private static func discard(_ connection: CInt) -> Int64 {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var head: [UInt8] = []
        var bodyCount: Int64 = -1
        var expected: Int64 = .max
        while bodyCount < expected {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            if bodyCount >= 0 {
                bodyCount += Int64(count)
                continue
            }
            head += buffer[..<count]
            let text = String(decoding: head, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            expected = length(in: text[..<end.lowerBound])
            bodyCount = Int64(head.count - text[..<end.upperBound].utf8.count)
        }
        return bodyCount
    }

    private static func length(in head: Substring) -> Int64 {
        let line = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return line.flatMap { Int64($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) } ?? 0
    }
}
