// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// More concurrent transfers than the process may have open files. Each test runs in its own process.
    @Suite struct DescriptorLimitTests {
        @Test func requestsWaitForFreeDescriptors() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [port = server.port as Int] in
                    try limitOpenFiles(to: 256)
                    let operations = try operations(port, originCount: 1)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.compactMap(\.error).isEmpty)
                }
            }
        }

        @Test func idleConnectionsGiveWayToOtherOrigins() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [port = server.port as Int] in
                    try limitOpenFiles(to: 256)
                    let operations = try operations(port, originCount: 500)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.compactMap(\.error).isEmpty)
                }
            }
        }

        /// One request at a time: in the end, idle connections use all descriptors.
        @Test func sequentialRequestsReachAnyNumberOfOrigins() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [port = server.port as Int] in
                    try limitOpenFiles(to: 128)
                    let operations = try operations(port, originCount: 200, concurrency: 1, count: 200)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.compactMap(\.error).isEmpty)
                }
            }
        }

        @Test func downloadsWaitForFileDescriptors() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [port = server.port as Int] in
                    try limitOpenFiles(to: 256)
                    let folder = try ScratchFolder()
                    let operations = try operations(port, originCount: 1, folder: folder.url)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.compactMap(\.error).isEmpty)
                    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1_000)
                }
            }
        }
    }
}

@Suite struct UnstartedTransferTests {
    /// Makes a transfer, and records what its delegate receives at the end.
    private static func make(_ events: Observed<[DeliveryCertainty]>) -> UnstartedTransfer {
        UnstartedTransfer(
            loop: NetworkThread.shared.eventLoop, hostName: "h",
            delegate: EndTaker { metrics in events.append(metrics.evidence) })
    }

    @Test func pausedTransferEndsAfterItsResume() async throws {
        let events = Observed([DeliveryCertainty]())
        let transfer = try await onNetworkThread {
            let transfer = Self.make(events)
            transfer.pause()
            return NetworkBound(transfer)
        }
        try await onNetworkThread {}
        try await onNetworkThread {}
        #expect(events.value.isEmpty)
        try await onNetworkThread { transfer.value.resume(deadline: .max) }
        try await onNetworkThread {}
        #expect(events.value == [.nothingSent])
    }

    @Test func abortedTransferDoesNotEnd() async throws {
        let events = Observed([DeliveryCertainty]())
        let evidence = try await onNetworkThread { Self.make(events).abort().evidence }
        try await onNetworkThread {}
        try await onNetworkThread {}
        #expect(evidence == .nothingSent && events.value.isEmpty)
    }
}

/// Limits the number of files that the process may have open.
private func limitOpenFiles(to count: UInt) throws {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
}

/// Operations that a manager's queue has started.
private func operations(
    _ port: Int, originCount: Int, concurrency: Int = 1_000, count: Int = 1_000, folder: URL? = nil
) throws -> [RequestOperation] {
    var configuration = RequestOperationManager.Configuration()
    configuration.maximumConcurrentTransferCount = concurrency
    configuration.maximumConcurrentTransferCountPerOrigin = concurrency
    let hosts = (0..<originCount).map { "origin-\($0).test" }
    configuration.transferOptions.addressOverrides = Dictionary(uniqueKeysWithValues: hosts.map { ($0, "127.0.0.1") })
    let manager = RequestOperationManager(configuration: configuration)
    manager.responseSerializer = HTTPResponseSerializer()
    let operations = try (0..<count).map { number in
        let url = try #require(URL(string: "http://\(hosts[number % originCount]):\(port)/\(number)"))
        let operation = manager.operation(with: URLRequest(url: url))
        operation.outputFile = folder?.appendingPathComponent("\(number)")
        return operation
    }
    manager.operationQueue.addOperations(operations)
    return operations
}
