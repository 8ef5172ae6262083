// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Dispatch
import Foundation
import Glibc
import Testing

private let base = URL(string: "https://api.example.com/v1/")!

extension PageTests {
    @Test func drainCountsItsOperations() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .text("a").delayed(by: .milliseconds(50)) }
        let operation = manager.enqueue(
            manager.operation("GET", "users", responseSerializer: HTTPResponseSerializer()))
        #expect(await manager.sentRequests(atLeast: 1).count == 1)
        printed.update { $0 = [] }
        // BLOCK ShutdownAndDraining.md
        let summary = await manager.drain(timeout: .seconds(10))
        print("\(summary.finished.count) finished")
        print("\(summary.cancelled.count) cancelled at the timeout")
        print("\(summary.unstarted.count) never started")
        // END
        #expect(operation.error == nil && operation.isFinished)
        #expect(printed.value == ["1 finished", "0 cancelled at the timeout", "0 never started"])
        let error = await #expect(throws: NetworkingError.self) { try await manager.delete("users/1") }
        #expect(error?.code == .notStarted)
    }

    @Test func managersDrainTogether() async {
        let managers = (0..<2).map { _ in RequestOperationManager(baseURL: base) { _ in .stall } }
        for manager in managers { manager.enqueue(manager.operation("GET", "users")) }
        for manager in managers { #expect(await manager.sentRequests(atLeast: 1).count == 1) }
        printed.update { $0 = [] }
        // BLOCK ShutdownAndDraining.md
        // where .milliseconds(1) is .seconds(10)
        await withTaskGroup(of: Void.self) { group in
            for manager in managers {
                group.addTask {
                    let summary = await manager.drain(timeout: .milliseconds(1))
                    if summary.hasExpired { print("cut off:", manager) }
                }
            }
        }
        // END
        #expect(printed.value.count == 2)
        #expect(printed.value.allSatisfy { $0.hasPrefix("cut off: <RequestOperationManager: ") })
    }

    /// SIGURG is ignored by default, so it may be sent before the handler is installed.
    @Test func signalDrainsTheManager() async {
        let manager = RequestOperationManager(baseURL: base) { _ in .stall }
        let operation = manager.enqueue(manager.operation("GET", "users"))
        #expect(await manager.sentRequests(atLeast: 1).count == 1)
        printed.update { $0 = [] }
        let sending = Task {
            while !Task.isCancelled {
                kill(getpid(), SIGURG)
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        // BLOCK ShutdownAndDraining.md
        // where SIGURG is SIGTERM
        // where .milliseconds(1) is .seconds(10)
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let source = DispatchSource.makeSignalSource(signal: SIGURG)
        source.setEventHandler { signal.yield() }
        source.activate()

        for await _ in signals { break }
        source.cancel()
        let summary = await manager.drain(timeout: .milliseconds(1))
        print("\(summary.cancelled.count) cancelled")
        // END
        sending.cancel()
        #expect(operation.error?.code == .cancelled && printed.value == ["1 cancelled"])
    }
}
