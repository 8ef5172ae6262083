// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// Reads responses of a server on 127.0.0.1 over a socket.
enum StreamClient {
    /// Reads the first events of a stream, without their field names.
    static func events(_ url: String, count: Int) async throws -> [String] {
        let text = try await received(url) { $0.components(separatedBy: "\n\n").count > count }
        let events = text.components(separatedBy: "\n\n").dropLast().prefix(count)
        return events.map { $0.components(separatedBy: "data: ").last ?? "" }
    }

    /// Reads the body of a response.
    static func text(_ url: String, fields: String = "") async throws -> String {
        let response = try await received(url, fields: fields)
        return response.range(of: "\r\n\r\n").map { String(response[$0.upperBound...]) } ?? ""
    }

    /// Reads a response with its head, until a condition holds or the server closes the connection.
    static func received(
        _ url: String, fields: String = "", until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> String {
        try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread { done.resume(with: Result { try receive(url, fields, isEnough) }) }
        }
    }

    private static func receive(_ url: String, _ fields: String, _ isEnough: (String) -> Bool) throws -> String {
        guard let url = URLComponents(string: url), let port = url.port else { throw POSIXError(.EINVAL) }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(port).bigEndian
        name.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let target = url.percentEncodedPath + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
        let head =
            ["GET \(target) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + (fields.isEmpty ? [] : [fields])
        let request = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        _ = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(String(decoding: received, as: UTF8.self)) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }
}
