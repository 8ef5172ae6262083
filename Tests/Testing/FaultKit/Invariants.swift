// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
public import Foundation
import RealServers

/// The conditions that must hold in a process however a case ends: one outcome per operation, operations released,
/// descriptors, threads and memory returned, and another server's answers in time meanwhile.
///
/// The case needs a separate process, because other suites use descriptors, threads and memory, too. The program that
/// starts the process must check its standard error.
public enum Invariants {
    /// The limit on memory growth, for what libraries keep after the first use of something. Unlimited under the
    /// address sanitizer, which keeps freed memory.
    public static let memoryBound =
        ProcessInfo.processInfo.environment["BLUEBONNET_LANE"] == "address" ? Int.max : 12 * 1024 * 1024

    /// Runs a case, and returns the conditions that did not hold.
    ///
    /// - Parameters:
    ///   - canary: a URL of a server that answers at once.
    ///   - warmUp: starts things that start once and stay; called before anything is measured.
    ///   - body: the case; it tracks each operation that it makes.
    public static func faults(
        canary url: URL, warmUp: () async throws -> Void = {}, of body: (OutcomeLedger) async throws -> Void
    ) async throws -> [String] {
        try await warmUp()
        _ = await Canary(url: url).stop()
        await closeIdleConnections()
        let ledger = OutcomeLedger()
        let before = ResourceSnapshot.current()
        let memory = MemoryUse.residentByteCount
        let canary = Canary(url: url)
        do {
            try await body(ledger)
        } catch {
            _ = await canary.stop()
            throw error
        }
        var faults = await canary.stop().faults
        await closeIdleConnections()
        faults += await ResourceSnapshot.growthAfterSettling(to: before)
        faults += await Self.settled(ledger)
        let growth = MemoryUse.residentByteCount - memory
        if growth > memoryBound { faults.append("\(growth / 1024) KiB more memory in use") }
        return faults
    }

    /// Closes the process's idle connections, and waits until the network thread has done so.
    public static func closeIdleConnections() async {
        RequestOperationManager().closeIdleConnectionsOfProcess()
        await withCheckedContinuation { done in
            NetworkThread.shared.perform { _ in done.resume() }
        }
    }

    /// The last handlers may still run when an operation has ended.
    private static func settled(_ ledger: OutcomeLedger) async -> [String] {
        for _ in 0..<200 where !ledger.faultsAtEnd.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
        return ledger.faultsAtEnd
    }
}
