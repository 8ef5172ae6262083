// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
public import Foundation
import RealServers

/// What has to hold in a process however a case ends: one outcome of each operation, operations released, descriptors,
/// threads and memory back, and another server's answers in time meanwhile.
///
/// A process of its own is needed: other suites have descriptors, threads and memory too. What was written to standard
/// error is for who started the process to look at.
public enum Invariants {
    /// How much more memory may be in use afterwards: what libraries keep after the first use of something.
    /// None under the address sanitizer, which keeps freed memory.
    public static let memoryBound =
        ProcessInfo.processInfo.environment["BLUEBONNET_LANE"] == "address" ? Int.max : 12 * 1024 * 1024

    /// Runs a case, and returns what did not hold.
    ///
    /// - Parameters:
    ///   - canary: a URL of a server that answers at once.
    ///   - warmUp: what starts things once that stay: called before anything is measured.
    ///   - body: the case; it tracks each operation that it makes.
    public static func faults(
        canary url: URL, warmUp: () async throws -> Void = {}, of body: (OutcomeLedger) async throws -> Void
    ) async throws -> [String] {
        try await warmUp()
        _ = await Canary(url: url).stop()
        await closeIdleConnections()
        let ledger = OutcomeLedger()
        let before = ResourceSnapshot.take()
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

    /// Closes the idle connections of the process, and waits until the network thread has done so.
    public static func closeIdleConnections() async {
        RequestOperationManager().closeIdleConnectionsOfProcess()
        await withCheckedContinuation { done in
            NetworkThread.shared.perform { _ in done.resume() }
        }
    }

    /// The last handlers may be running when an operation has ended.
    private static func settled(_ ledger: OutcomeLedger) async -> [String] {
        for _ in 0..<200 where !ledger.faultsAtEnd.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
        return ledger.faultsAtEnd
    }
}
