// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The information that the kernel gives a process. Each test runs in its own process.
    @Suite struct ReachabilityRefusalTests {
        @Test func kernelRefusalMeansUnknownStatusWithoutWaiting() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [address = server.url().absoluteString as String] in
                    try refuseRoutingSockets()
                    let log = try ReachabilityLog(address: "127.0.0.1")
                    await log.statuses.becomes { !$0.isEmpty }
                    #expect(log.statuses.value == [.unknown])
                    #expect(!log.manager.isReachable)
                    let options = TransferOptions { $0.waitsForConnectivity = true }
                    #expect(await get(try #require(URL(string: address)), options).error == nil)
                    let queue = RequestOperationQueue()
                    queue.holdsWithoutConnectivity = true
                    let operation = RequestOperation(request: URLRequest(url: try #require(URL(string: address))))
                    queue.addOperation(operation)
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil)
                }
            }
        }

        @Test func ordinaryUserReceivesTheStatus() async throws {
            await #expect(processExitsWith: .success) {
                // Root switches to an unprivileged user. Every other user is an ordinary user already.
                if geteuid() == 0 { #expect(setuid(65_534) == 0) }
                let log = try ReachabilityLog(address: "127.0.0.1")
                await log.statuses.becomes { !$0.isEmpty }
                #expect(log.statuses.value == [.reachableViaWiFi])
            }
        }
    }
}

/// Makes the kernel refuse `socket(AF_NETLINK, …)` with EPERM for this thread and for the threads that it starts, as
/// a sandbox can do (seccomp(2)). Then starts the network thread.
private func refuseRoutingSockets() throws {
    #if arch(x86_64)
        let socketCall: UInt64 = 41
    #else
        let socketCall: UInt64 = 198
    #endif
    // Each instruction: the code in the low 16 bits, two jumps of 8 bits, and the operand.
    func instruction(_ code: UInt64, ifNot skip: UInt64 = 0, _ operand: UInt64) -> UInt64 {
        code | skip << 24 | operand << 32
    }
    let program = [
        instruction(0x20, 0),  // load the number of the call
        instruction(0x15, ifNot: 3, socketCall),
        instruction(0x20, 16),  // load its first argument
        instruction(0x15, ifNot: 1, 16),  // AF_NETLINK
        instruction(0x06, 0x0005_0000 | UInt64(EPERM)),
        instruction(0x06, 0x7FFF_0000),
    ]
    // The Glibc module omits this variadic function.
    typealias Control = @convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt
    let control = unsafeBitCast(try #require(dlsym(nil, "prctl")), to: Control.self)
    let status = program.withUnsafeBytes { bytes in
        // A sock_fprog: the count, then the address.
        let filter = [UInt(program.count), UInt(bitPattern: bytes.baseAddress)]
        return filter.withUnsafeBytes { filter in
            // PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
            control(38, 1, 0, 0, 0) | control(22, 2, UInt(bitPattern: filter.baseAddress), 0, 0)
        }
    }
    #expect(status == 0)
    #expect(socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 0) == -1 && errno == EPERM)
    _ = NetworkThread.shared
}
