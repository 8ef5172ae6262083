// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

extension PageTests {
    /// The program of the page about getting started. In a closure, the type of `error` would not be inferred.
    static func gettingStarted(_ base: URL) async throws {
        // BLOCK GettingStarted.md
        // where base) is URL(string: "http://127.0.0.1:8080/")!)
        struct User: Decodable, Sendable { var name: String }

        let manager = RequestOperationManager(
            baseURL: base)

        // A decoded value.
        let ada: User = try await manager.get("ada.json")
        print("Hello, \(ada.name)")

        // An error: there is no such file.
        do {
            let eve: User = try await manager.get("eve.json")
            print("Hello, \(eve.name)")
        } catch {
            print("no Eve: \(error.code), status \(error.statusCode ?? 0)")
        }

        // A batch: three requests, one outcome.
        let names = ["ada", "eve", "grace"]
        let batch = Batch(of: names.map { manager.operation("GET", "\($0).json") })
        let outcome = await manager.run(batch)
        for (name, result) in zip(names, outcome.results) {
            switch result {
            case .success(let value): print("\(name): \(value)")
            case .failure(let error): print("\(name): \(error.code)")
            }
        }
        print(outcome.counts.successCount, "of", names.count, "succeeded")
        // END
    }

    @Test func readmeExampleCountsSuccesses() async throws {
        printed.update { $0 = [] }
        try await Site.serving { site in
            // BLOCK README.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            let manager = RequestOperationManager(
                baseURL: site.base)
            struct User: Decodable, Sendable { var name: String }
            let user: User = try await manager.get("users/1")

            let items = (1...100).map { manager.operation("GET", "items/\($0)") }
            let outcome = await manager.run(Batch(of: items))
            print(user.name, outcome.counts.successCount, "of 100 items")
            // END
        }
        #expect(printed.value == ["Ada 100 of 100 items"])
    }

    @Test func defaultsBlockChangesEachPlace() async throws {
        struct User: Decodable, Sendable { var name: String }
        try await Site.serving { site in
            // BLOCK Defaults.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            var configuration = RequestOperationManager.Configuration()
            configuration.maximumConcurrentTransferCountPerOrigin = 8
            configuration.timeouts.total = .seconds(30)
            let manager = RequestOperationManager(
                baseURL: site.base,
                configuration: configuration)

            manager.retryPolicy = .standard

            let user = try await manager.call("users/1")
                .configure { $0.options.maximumRedirectCount = 0 }
                .value(as: User.self)
            // END
            #expect(user.name == "Ada")
            #expect(manager.configuration.maximumConcurrentTransferCountPerOrigin == 8)
            #expect(manager.timeouts.total == .seconds(30) && manager.retryPolicy == .standard)
            #expect(manager.transferOptions.maximumRedirectCount == 20)
        }
    }
}
