// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

/// What the tests have in common that disturb many operations from several threads, each in a process of its own.
enum Storm {
    /// A manager that starts many transfers at once and takes answers as they are.
    static func manager() -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCountPerOrigin = 64
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    /// Runs `body` and expects that it leaves no connection, descriptor or thread behind. A request for `url` comes
    /// first, so that what starts once has started.
    static func leavesNothingBehind(
        on server: TestServer, afterGetting url: URL, _ options: TransferOptions = TransferOptions(),
        _ body: () async throws -> Void
    ) async throws {
        #expect(await get(url, options).error == nil)
        await closeIdleConnections()
        await server.waitForConnectionsToClose()
        let before = ResourceSnapshot.take()
        try await body()
        await closeIdleConnections()
        await server.waitForConnectionsToClose()
        let growth = await ResourceSnapshot.growthAfterSettling(to: before)
        #expect(growth.isEmpty, "\(growth)")
    }

    /// Waits for all operations and expects one outcome of each.
    ///
    /// - Parameters:
    ///   - outcomes: how often the handler of each operation ran, by the operation's number.
    ///   - endsUncancelled: whether the operation of that number ends although nobody cancels it; the others are
    ///     cancelled when these have ended.
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
