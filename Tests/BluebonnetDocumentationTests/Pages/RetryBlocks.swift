// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

extension PageTests {
    @Test func retriesRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK RetriesAndLimits.md
            manager.retryPolicy = .standard
            let orders = try await manager.get("orders", as: JSONValue.self)
            for retry in orders.summary.retries {
                print(retry.date, retry.code.rawValue, retry.wait, retry.waitRule)
            }
            // END
            #expect(orders.summary.retries.isEmpty && orders.statusCode == 200)
            // BLOCK RetriesAndLimits.md
            let order = manager.operation("POST", "orders", body: .json(["article": 7])) { operation in
                operation.idempotencyKey = .automatic
            }
            try await manager.run(order)
            // END
            let sent = site.server.history.requests.first { $0.method == "POST" }
            #expect(sent?.headers["Idempotency-Key"] == order.idempotencyKey?.value)
            // BLOCK RetriesAndLimits.md
            manager.onRetry = { operation, proposal in
                if proposal.response?.statusCode == 409 { return .retry(after: .seconds(1)) }
                if proposal.error.code == .cannotFindHost { return .stop }
                return .performDefault
            }
            // END
            #expect(manager.onRetry != nil)
            // BLOCK RetryPolicy.swift
            manager.retryPolicy = .standard
            // END
            let operation = manager.operation("POST", "orders")
            // BLOCK IdempotencyKey.swift
            operation.idempotencyKey = .automatic
            operation.idempotencyKey = "order-4711"
            // END
            #expect(operation.idempotencyKey?.value == "order-4711")
        }
    }

    @Test func governorRuns() async throws {
        // BLOCK RetriesAndLimits.md
        let governor = Governor(OriginLimits(rateLimit: RateLimit(10, burst: 20)))
        governor.setLimits(
            OriginLimits(rateLimit: RateLimit(100, per: .seconds(60))), for: URL(string: "https://slow.example.com")!)
        var configuration = RequestOperationManager.Configuration()
        configuration.governor = governor
        let manager = RequestOperationManager(configuration: configuration)
        // END
        // BLOCK RetriesAndLimits.md
        var limits = OriginLimits(
            rateLimit: nil, circuitBreaker: CircuitBreaker(failureCount: 10, openTime: .seconds(60)))
        limits.maximumConcurrentTransferCount = 20
        governor.setLimits(limits)
        // END
        // BLOCK RetriesAndLimits.md
        for operation in manager.operationQueue.operations {
            guard let operation = operation as? RequestOperation,
                let reason = await operation.waitReason
            else { continue }
            print(operation, reason)
        }
        for origin in await governor.origins() {
            print(
                origin.origin, origin.heldUntil as Any, origin.runningCount, origin.waitingCount,
                origin.learnedRate as Any)
        }
        // END
        #expect(await governor.origins() == [] && manager.configuration.governor === governor)
    }

    @Test func governorIsAssignedToManager() {
        // BLOCK Governor.swift
        let governor = Governor(OriginLimits(rateLimit: RateLimit(10, burst: 20)))
        var configuration = RequestOperationManager.Configuration()
        configuration.governor = governor
        let manager = RequestOperationManager(configuration: configuration)
        // END
        #expect(manager.configuration.governor === governor)
    }
}
