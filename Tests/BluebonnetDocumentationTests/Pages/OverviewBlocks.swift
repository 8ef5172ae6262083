// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

extension PageTests {
    @Test func overviewRuns() async throws {
        try await Site.serving { site in
            // BLOCK Bluebonnet.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            let manager = RequestOperationManager(baseURL: site.base)

            // One call.
            let profile: JSONValue = try await manager.get("me")

            // A batch with one completion.
            let operations = ["a", "b", "c"].map { manager.operation("GET", "items/\($0)") }
            manager.enqueueBatch(of: operations) { finished, total in
                print("\(finished) of \(total)")
            } completion: { operations in
                print(operations.map(\.statusCode))
            }

            // A call that needs the login's result.
            let login = manager.post(
                "login", parameters: ["user": "ada", "password": "…"], returning: JSONResponseSerializer())
            let orders = manager.call("orders").after(login) { request, login in
                let token = login["token"]?.string ?? ""
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            }.start()
            print(try await orders.value)
            // END
            #expect(profile["name"]?.string == "Ada")
            for operation in operations { try await operation.waitUntilEnded() }
        }
    }

    @Test func wayOfARequestRuns() async throws {
        struct User: Decodable, Sendable { var name: String }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK WayOfARequest.md
            let response = try await manager.get("users/1", as: User.self)
            // END
            #expect(response.value.name == "Ada")
        }
    }

    @Test func speedRuns() {
        let tuning = Tuning.current
        defer { Tuning.current = tuning }
        // BLOCK Speed.md
        Tuning.current.remove(.busyPolling)
        // END
        #expect(!Tuning.current.contains(.busyPolling))
    }

    @Test func reachabilityRuns() async throws {
        printed.update { $0 = [] }
        let reading = Task {
            // BLOCK Reachability.md
            // where "127.0.0.1" is "api.example.com"
            let manager = NetworkReachabilityManager(domain: "127.0.0.1")
            manager.setReachabilityStatusChangeBlock { status in
                print(status.localizedDescription)
            }
            manager.startMonitoring()

            // Or as a stream, with the route:
            for await reachability in manager.changes {
                print(reachability.status, reachability.route?.interface.name ?? "-")
            }
            // END
            manager.stopMonitoring()
        }
        await printed.becomes { $0.count > 1 }
        reading.cancel()
        await reading.value
    }
}
