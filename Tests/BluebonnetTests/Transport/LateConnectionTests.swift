// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Connections that are not there at once, as on any real network.
    @Suite struct LateConnectionTests {
        /// A listening socket whose queue is full: whoever connects waits.
        private final class FullServer: Sendable {
            let port: UInt16
            private let listening: CInt
            private let waiting: [CInt]

            init() throws {
                listening = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let listening = listening
                let port = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                        guard bind(listening, address, length) == 0, listen(listening, 0) == 0 else { return UInt16(0) }
                        getsockname(listening, address, &length)
                        return pointer.pointee.sin_port
                    }
                }
                try #require(port != 0)
                self.port = UInt16(bigEndian: port)
                var waiting: [CInt] = []
                for _ in 0..<3 {
                    let descriptor = socket(
                        AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                    _ = withUnsafePointer(to: &address) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
                    }
                    waiting.append(descriptor)
                }
                self.waiting = waiting
            }

            /// Takes everybody, and answers those that ask; until the socket is closed.
            func serve() {
                Thread.detachNewThread { [self] in
                    while true {
                        let descriptor = accept(listening, nil, nil)
                        guard descriptor >= 0 else { return }
                        Thread.detachNewThread { Self.answer(descriptor) }
                    }
                }
            }

            private static func answer(_ descriptor: CInt) {
                var buffer = [UInt8](repeating: 0, count: 4096)
                if recv(descriptor, &buffer, buffer.count, 0) > 0 {
                    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate"
                    _ = send(descriptor, reply, reply.utf8.count, CInt(MSG_NOSIGNAL))
                }
                close(descriptor)
            }

            func stop() {
                shutdown(listening, CInt(SHUT_RDWR))
                for descriptor in waiting { close(descriptor) }
                close(listening)
            }
        }

        /// The socket of an attempt that was given up is closed without a word, and its number comes again.
        @Test(.timeLimit(.minutes(1))) func aConnectionThatComesLateIsNoticedAfterOneThatNeverCame() async throws {
            let server = try FullServer()
            defer { server.stop() }
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            var impatient = TransferOptions()
            impatient.timeouts.connect = .milliseconds(300)
            for _ in 0..<3 {
                #expect(await get(url, impatient).code == .timedOut)
            }
            var patient = TransferOptions()
            patient.timeouts.connect = .zero  // for ever: no time limit looks at the connection in the event's place
            let late = RequestOperation(request: URLRequest(url: url), options: patient)
            late.start()
            for _ in 0..<20 { await networkThreadAnswers() }  // the first attempt is on its way, and comes to nothing
            server.serve()
            try await late.waitUntilEnded()
            #expect(late.error == nil, "\(late.error?.message ?? "")")
            #expect(late.responseString == "late")
        }
    }
}
