// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// More concurrent transfers than the process may have files. Each test runs in a process of its own.
    @Suite struct DescriptorLimitTests {
        @Test func requestsWaitWhereTheProcessMayHaveFewFiles() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [port = server.port as Int] in
                    try limitOpenFiles(to: 256)
                    let operations = try operations(port, originCount: 1)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.compactMap(\.error).isEmpty)
                }
            }
        }

        @Test func connectionsThatAreKeptGiveWayToOtherOrigins() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [port = server.port as Int] in
                    try limitOpenFiles(to: 256)
                    let operations = try operations(port, originCount: 500)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.compactMap(\.error).isEmpty)
                }
            }
        }

        /// One request at a time: the connections that are kept have all descriptors in the end.
        @Test func requestsOneAfterAnotherReachAnyNumberOfOrigins() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                _ = await #expect(processExitsWith: .success) { [port = server.port as Int] in
                    try limitOpenFiles(to: 128)
                    let operations = try operations(port, originCount: 200, concurrency: 1, count: 200)
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.compactMap(\.error).isEmpty)
                }
            }
        }

        @Test func downloadsWaitForDescriptorsOfTheirFiles() async throws {
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
    /// What a transfer's delegate hears.
    private static func make(_ events: Observed<[SendEvidence]>) -> UnstartedTransfer {
        UnstartedTransfer(
            loop: NetworkThread.shared.eventLoop, hostName: "h",
            delegate: EndTaker { metrics in events.append(metrics.evidence) })
    }

    @Test func endComesBehindAPause() async throws {
        let events = Observed([SendEvidence]())
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

    @Test func abortedOneDoesNotEnd() async throws {
        let events = Observed([SendEvidence]())
        let evidence = try await onNetworkThread { Self.make(events).abort().evidence }
        try await onNetworkThread {}
        try await onNetworkThread {}
        #expect(evidence == .nothingSent && events.value.isEmpty)
    }
}

/// Allows the process no more open files than these.
private func limitOpenFiles(to count: UInt) throws {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
}

/// Operations that run at once.
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
