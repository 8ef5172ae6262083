// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetJournal
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

// Many requests, failures and limits of the recipes.
extension PageTests {
    @Test func recipeForBatchHasOneCompletion() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            let operations = (1...20).map { manager.operation("GET", "items/\($0)") }
            let batch = manager.enqueueBatch(of: operations) { finished, total in
                print("\(finished) of \(total)")
            } completion: { operations in
                print(operations.compactMap(\.error).count, "failed")
            }
            try await batch.waitUntilFinished()
            // END
            #expect(printed.value.filter { $0 == "20 of 20" }.count == 1)
            #expect(printed.value.last == "0 failed")
        }
    }

    @Test func recipeForFanOutEndsEveryCall() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            var configuration = RequestOperationManager.Configuration()
            configuration.maximumConcurrentTransferCount = 8
            let limited = RequestOperationManager(
                baseURL: manager.baseURL!, configuration: configuration)
            let byteCount = try await withThrowingTaskGroup(of: Int.self) { group in
                for id in 1...100 {
                    group.addTask {
                        try await limited.get("items/\(id)").value.count
                    }
                }
                return try await group.reduce(0, +)
            }
            print(byteCount, "bytes")
            // END
            #expect(printed.value == ["200 bytes"])
            #expect(site.server.requests.count == 100)
            #expect(limited.configuration.maximumConcurrentTransferCount == 8)
        }
    }

    @Test func recipeForRateEndsEveryRequest() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            // where (1...7) is (1...50)
            var configuration = RequestOperationManager.Configuration()
            configuration.governor = Governor(
                OriginLimits(rateLimit: RateLimit(10, burst: 5)))
            let polite = RequestOperationManager(
                baseURL: manager.baseURL!, configuration: configuration)
            let pages = (1...7).map { polite.operation("GET", "pages/\($0)") }
            let outcome = await polite.run(Batch(of: pages))
            print(outcome.counts.successCount, "of", pages.count)
            // END
            #expect(printed.value == ["7 of 7"])
        }
    }

    @Test func recipeForLinesContinuesFromJournal() async throws {
        try await Site.serving { site in
            let manager = site.manager
            let lines = #"{"id": "login", "method": "POST", "url": "login"}"# + "\n" + #"{"id": "me", "url": "me"}"#
            try Data(lines.utf8).write(to: site.file("batch.ndjson"))
            let journalPath = site.path("batch.journal")
            for restoredCount in [0, 2] {
                printed.update { $0 = [] }
                // BLOCK Recipes.md
                // where site.file("batch.ndjson") is URL(fileURLWithPath: "batch.ndjson")
                // where journalPath is "batch.journal"
                let file = site.file("batch.ndjson")
                let numbered = try RequestLineParser().parse(
                    file: Data(contentsOf: file))
                var settings = RequestLineRunner.Settings()
                settings.baseURL = manager.baseURL
                let batch = try DurableBatch(
                    of: numbered.map(\.line),
                    journal: SQLiteJournal(path: journalPath), settings: settings)
                let outcome = try await batch.run { result in
                    print(result.id, result.outcome.rawValue)
                }
                print(outcome.restoredCount, "of", outcome.totalCount, "from the journal")
                // END
                #expect(printed.value.last == "\(restoredCount) of 2 from the journal")
                #expect(printed.value.contains("me success"))
            }
            #expect(site.server.requests.count == 2)
        }
    }

    @Test func recipeForTimeoutCancelsCall() async throws {
        let script: TestServer.Script = { _ in .stall }
        try await Site.scripted(script) { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            // where .milliseconds(50) is .seconds(5)
            let report = Task {
                try await manager.get("report", as: JSONValue.self)
            }
            let timer = Task {
                try await Task.sleep(for: .milliseconds(50))
                report.cancel()
            }
            switch await report.result {
            case .success(let response): print(response.value)
            case .failure(let error): print("no report: \(error)")
            }
            timer.cancel()
            // END
            #expect(printed.value.first?.hasPrefix("no report: cancelled") == true, "\(printed.value)")
        }
    }

    @Test func recipeForRetryKeepsIdempotencyKey() async throws {
        let count = Observed(0)
        let script: TestServer.Script = { _ in
            count.increment()
            return count.value == 1
                ? .response(status: 503)
                : .response(headers: ["Content-Type": "application/json"], body: "{}")
        }
        try await Site.scripted(script) { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            manager.retryPolicy = .standard
            let order = manager.operation(
                "POST", "orders", body: .json(["article": 7])
            ) {
                $0.idempotencyKey = .automatic
            }
            try await manager.run(order)
            for retry in order.retries { print(retry.code.rawValue, retry.wait) }
            // END
            let keys = site.server.requests.map { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
            #expect(printed.value.first?.hasPrefix("unacceptableStatus") == true, "\(printed.value)")
        }
    }
}
