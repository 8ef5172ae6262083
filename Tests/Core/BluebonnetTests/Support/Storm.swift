// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

/// Helpers for tests that disturb many operations from several threads, each test in its own process.
enum Storm {
    /// A manager that starts many transfers at once and does not parse responses.
    static func manager() -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCountPerOrigin = 64
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    /// Runs `body` and expects it to leak no connection, descriptor or thread. A request for `url` comes first, so
    /// that everything that starts only once has started.
    static func leavesNothingBehind(
        on server: TestServer, afterGetting url: URL, _ options: TransferOptions = TransferOptions(),
        _ body: () async throws -> Void
    ) async throws {
        #expect(await get(url, options).error == nil)
        await closeIdleConnections()
        await server.waitForConnectionsToClose()
        let before = ResourceSnapshot.current()
        try await body()
        await closeIdleConnections()
        await server.waitForConnectionsToClose()
        let growth = await ResourceSnapshot.growthAfterSettling(to: before)
        #expect(growth.isEmpty, "\(growth)")
    }

    /// Waits for all operations and expects exactly one outcome of each.
    ///
    /// - Parameters:
    ///   - outcomes: how often each operation's handler ran, by the operation's number.
    ///   - endsUncancelled: whether the operation with this number ends without cancellation. The other operations
    ///     are cancelled after these have ended.
    static func expectOneOutcomeEach(
        of operations: [HTTPRequestOperation], _ outcomes: Observed<[Int: Int]>, endsUncancelled: (Int) -> Bool
    ) async {
        for number in operations.indices where endsUncancelled(number) { await operations[number].ends() }
        for operation in operations { operation.cancel() }
        for operation in operations { await operation.ends() }
        let count = operations.count
        await outcomes.becomes { $0.count == count }
        #expect(outcomes.value.values.allSatisfy { $0 == 1 })
        #expect(operations.allSatisfy { $0.isFinished })
    }
}
