// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import RealServers

/// A small HTTP server in a namespace. It has blocking sockets and a thread for each connection, which end with the
/// process.
///
/// The server answers every request with "answer". For `/stall`, it sends ten bytes, and the rest after `goOn()`.
final class NamespaceServer: Sendable {
    /// The requested paths, with the numbers of their connections from 1.
    let requests = Observed([Request]())
    let port: Int
    private let rest = Gate()

    struct Request: Equatable {
        let path: String
        let connection: Int
    }

    init(in namespace: NetworkNamespace) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = try namespace.inside { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) | listen(listener, 16) | getsockname(listener, address, &length)
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            var count = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                count += 1
                Thread.detachNewThread { [count] in self.serve(connection, count) }
            }
        }
    }

    /// Sends the rest of every stalled response.
    func goOn() { rest.open() }

    func url(_ path: String, host: String = "10.77.0.1") throws -> URL {
        guard let url = URL(string: "http://\(host):\(port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    private func serve(_ connection: CInt, _ number: Int) {
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
            guard text.hasSuffix("\r\n\r\n") else { continue }
            let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            text = ""
            requests.append(Request(path: path, connection: number))
            answer(connection, isStalled: path == "/stall")
        }
        close(connection)
    }

    private func answer(_ connection: CInt, isStalled: Bool) {
        guard isStalled else { return write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nanswer", connection) }
        write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123456789", connection)
        let isTime = DispatchSemaphore(value: 0)
        rest.whenOpen { isTime.signal() }
        isTime.wait()
        write("0123456789", connection)
    }

    private func write(_ text: String, _ connection: CInt) {
        let bytes = Array(text.utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
