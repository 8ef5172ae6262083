// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import TestServer
import Testing

extension PageTests {
    @Test func retriesRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK RetriesAndLimits.md
            manager.retryPolicy = .standard
            let orders = try await manager.get("orders", as: JSONValue.self)
            for retry in orders.summary.retries {
                print(retry.date, retry.code.rawValue, retry.wait, retry.waitReason)
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
}
