// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetPipelines
import BluebonnetTestServer
import Testing

// Pages of a resource, and batches that grow.
extension PageTests {
    @Test func commentsOfPagesRun() async throws {
        struct User: Codable, Sendable { var name: String }
        try await Site.serving { site in
            let manager = site.manager
            var names: [String] = []
            // BLOCK PageVerbs.swift
            for try await page in manager.pages("users", next: .link, as: [User].self) {
                print(page.number, page.value.count)
            }
            // END
            // BLOCK PageVerbs.swift
            for try await user in manager.items("users", next: .link, as: User.self) { print(user.name) }
            // END
            for try await user in manager.items("users", next: .link, as: User.self) { names.append(user.name) }
            #expect(names == ["Ada", "Ada"])
        }
        // BLOCK Pagination.swift
        var pagination = Pagination(next: .offset(.query("skip"), limit: 100))
        pagination.items = try JSONPath("$.results[*]")
        pagination.until = .total(try JSONPath("$.total"))
        // END
        #expect(pagination.max == 1_000)
    }

    @Test func pagesOfThePageRun() async throws {
        struct User: Codable, Sendable { var name: String }
        struct Hit: Codable, Sendable { var title: String }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Pipelines.md
            for try await page in manager.pages("users", next: .link, as: [User].self) {
                print(page.number, page.value.count, page.response.statusCode)
            }
            for try await user in manager.items("users", next: .link, as: User.self) {
                print(user.name)
            }
            // END
            let (cursor, items) = (try JSONPath("$.next"), try JSONPath("$.data[*]"))
            // BLOCK Pipelines.md
            var pagination = Pagination(next: .cursor(.body(cursor), into: .json("after")))
            pagination.items = items
            let search = manager.call("POST", "search").body(.json(["size": 100]))
            for try await hit in search.items(pagination, as: Hit.self) {
                print(hit.title)
            }
            // END
            let sent = site.server.history.requests
            #expect(sent.map(\.path) == ["/v1/users", "/v1/users", "/v1/users", "/v1/users", "/v1/search"])
        }
    }

    @Test func batchOfThePageGrows() async throws {
        struct User: Codable, Sendable {
            var name: String
            var id: Int { name.count }
        }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK DependenciesAndBatches.md
            let users = manager.call("users").handle(as: [User].self)
            let details = users.each { user in
                manager.call("users/\(user.id)").operation()
            }
            var options = Batch.Options()
            options.failurePolicy = .stopAboveFailureCount(10)
            let outcome = await manager.run(Batch(of: [details], options: options))
            print(outcome.counts.successCount)
            // END
            #expect(outcome.isSuccess && outcome.counts.successCount == 2)
        }
    }

    @Test func commentOfExpandedHandlesRuns() async throws {
        struct User: Codable, Sendable {
            var name: String
            var id: Int { name.count }
        }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK BatchExpansion.swift
            let users = manager.call("users").handle(as: [User].self)
            let details = users.each { user in manager.call("users/\(user.id)").operation() }
            let outcome = await manager.run(Batch(of: [details]))
            // END
            #expect(outcome.results.count == site.server.history.requests.count)
        }
    }
}
