// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Bluebonnet with async calls: one task for each request in flight, which sends requests one after another.
final class BluebonnetAsyncClient: LoadClient {
    private let manager: RequestOperationManager

    init(_ limits: ConnectionLimits, _ authorityFile: String?) throws {
        manager = try BluebonnetClient.makeManager(limits, authorityFile)
    }

    func run(_ job: Job, _ ledger: Ledger) throws {
        manager.responseSerializer = BluebonnetClient.serializer(for: job)
        let manager = manager
        Tasks.run(job, ledger) { number in
            do {
                return try await Self.send(job, number, manager)
            } catch {
                return "\(error)"
            }
        }
    }

    /// Sends a request. A plain GET and all mixed traffic use the async verbs, which return typed values; other
    /// requests use an operation.
    private static func send(_ job: Job, _ number: Int, _ manager: RequestOperationManager) async throws -> String? {
        let url: URL
        switch job.traffic {
        case .uniform(let only): url = only
        case .mixed(let plan): return try await MixedBluebonnet.send(job, plan.request(number), manager)
        }
        guard job.method == "GET", job.outputFolder == nil else {
            let operation = try BluebonnetClient.operation(job, number, manager)
            manager.operationQueue.addOperation(operation)
            let value = try await operation.value
            return BluebonnetClient.fault(job, number, operation, value, status: operation.statusCode)
        }
        if job.decodes {
            let _: Catalogue = try await manager.get(url.absoluteString)
            return nil
        }
        let data: Data = try await manager.get(url.absoluteString)
        return job.fault(status: 200, byteCount: Int64(data.count))
    }
}
