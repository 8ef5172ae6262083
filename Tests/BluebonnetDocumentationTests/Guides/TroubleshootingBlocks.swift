// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import Testing

private let base = URL(string: "https://api.example.com/v1/")!

extension PageTests {
    @Test func operationExplainsItsStateAndEnd() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .status(404) }
        printed.update { $0 = [] }
        // BLOCK Troubleshooting.md
        let operation = manager.enqueue(manager.operation("GET", "me"))
        print(await operation.waitReason?.description ?? "it does not wait")
        try await operation.waitUntilEnded()
        print(operation.error?.description ?? "success")
        print(operation.summary)
        // END
        let lines = printed.value
        #expect(lines.count == 3)
        #expect(lines[1].hasPrefix("unacceptableStatus: the server answered with status 404"))
        #expect(lines[2].hasPrefix("1 transfer; ") && lines[2].contains("total "))
    }

    @Test func programWaitsForItsBatch() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        printed.update { $0 = [] }
        // BLOCK Troubleshooting.md
        let operations = ["a", "b"].map { manager.operation("GET", "items/\($0)") }
        let batch = manager.enqueueBatch(of: operations) { finished, total in
            print("\(finished) of \(total)")
        }
        try await batch.waitUntilFinished()
        // END
        #expect(operations.allSatisfy { $0.error == nil && $0.isFinished })
        #expect(printed.value == ["1 of 2", "2 of 2"])
    }

    @Test func redirectIsDeliveredInsteadOfFollowed() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .redirect(to: "/v1/new") }
        printed.update { $0 = [] }
        // BLOCK Troubleshooting.md
        let response = try await manager.call("POST", "old").configure {
            $0.options.maximumRedirectCount = 0
        }.response()
        print(response.statusCode, response.headers["Location"] ?? "-")
        // END
        #expect(printed.value == ["302 /v1/new"])
        #expect(manager.sentRequests.map(\.method) == ["POST"])
    }

    @Test func baseURLGetsSlash() throws {
        printed.update { $0 = [] }
        // BLOCK Troubleshooting.md
        let manager = RequestOperationManager(
            baseURL: URL(string: "https://api.example.com/v1")!)
        let url = try manager.request("GET", "users/1").url
        print(url?.absoluteString ?? "-")
        // END
        #expect(printed.value == ["https://api.example.com/v1/users/1"])
    }

    @Test func environmentDecidesAboutProxiesIfAsked() throws {
        let manager = RequestOperationManager(baseURL: base)
        #expect(manager.transferOptions.proxyConfiguration == nil)
        // BLOCK Troubleshooting.md
        manager.transferOptions.proxyConfiguration = try .environment
        // END
        #expect(manager.transferOptions.proxyConfiguration != nil)
    }
}
