// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import FoundationNetworking
import Testing

private struct User: Codable, Sendable { var name: String }
private struct NewUser: Codable, Sendable { var name: String }

// The comments of the manager's declarations.
extension PageTests {
    @Test func commentsOfTheManagerRun() async throws {
        try await Site.serving { site in
            // BLOCK RequestOperationManager.swift
            // where site.base is URL(string: "https://api.example.com/v1/")!
            let manager = RequestOperationManager(baseURL: site.base)
            let me: JSONValue = try await manager.get("me")
            // END
            #expect(me["name"]?.string == "Ada")
            try await runCalls(site, manager)
        }
    }

    private func runCalls(_ site: Site, _ manager: RequestOperationManager) async throws {
        do {
            // BLOCK RequestOperationManager.swift
            manager.headers["X-Client"] = "demo"
            // END
            #expect(manager.headers["x-client"] == "demo")
            // BLOCK WebLinks.swift
            var page: Response<[User]>? = try await manager.get("users", as: [User].self)
            while let next = page?.links["next"] { page = try await manager.get(next, as: [User].self) }
            // END
            #expect(page?.url.query == "page=3")
        }
        do {
            // BLOCK Response.swift
            let page = try await manager.get("users", parameters: ["page": 2], as: [User].self)
            print(page.links["next"]?.absoluteString ?? "the last page", page.value.count)
            // END
            // BLOCK URLReference.swift
            // where site.base.appendingPathComponent("picture") is URL(string: "https://api.example.com/v1/picture")!
            let me: JSONValue = try await manager.get("me")
            let picture = try await manager.get(site.base.appendingPathComponent("picture"))
            // END
            #expect(me["name"]?.string == "Ada" && picture.head.mediaType == "image/gif")
            // BLOCK RequestBody.swift
            let user: User = try await manager.post("users", body: .json(NewUser(name: "Ada")))
            // END
            #expect(user.name == page.value.first?.name)
        }
    }

    @Test func commentOfRequestsRuns() async throws {
        let (network, sent) = (RequestOperationManager { _ in .json(["a"]) }, "application/json")
        let manager = network
        // BLOCK HTTPRequest.swift
        var request = HTTPRequest(url: URL(string: "https://api.example.com/users")!)
        request.headers["Accept"] = "application/json"
        let users = try await manager.run(manager.operation(with: request))
        // END
        #expect(users as? JSONValue == ["a"] && request.urlRequest.value(forHTTPHeaderField: "Accept") == sent)
    }

    @Test func commentsOfCallsRun() async throws {
        struct User: Codable, Sendable { var name: String }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Call.swift
            let user = try await manager.call("users/1")
                .header("X-Trace", "7")
                .timeout(.seconds(5))
                .value(as: User.self)
            // END
            #expect(user.name == "Ada" && site.server.history.requests.last?.headers["X-Trace"] == "7")
        }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Call.swift
            let login = manager.call("POST", "login").start().map { $0["token"]?.string ?? "" }
            let orders = try await manager.call("orders").after(login) { request, token in
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            }.value(as: JSONValue.self)
            // END
            #expect(site.server.history.requests.last?.headers["Authorization"] == "Bearer t-1")
            _ = orders
        }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Call.swift
            let moved = manager.call("users/1").configure { $0.options.maximumRedirectCount = 0 }
            // END
            #expect(moved.operation().options.maximumRedirectCount == 0)
        }
    }

    @Test func commentOfChangedRequestsRuns() async throws {
        @Sendable func signature(of request: HTTPRequest) -> String { "s-\(request.method)" }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Call.swift
            let signed = manager.call("orders").request { request in
                request.headers["X-Signature"] = signature(of: request)
            }
            // END
            _ = try await signed.response()
            #expect(site.server.history.requests.last?.headers["X-Signature"] == "s-GET")
        }
    }

    @Test func commentOfDependentRequestsRuns() async throws {
        try await Site.serving { site in
            let manager = site.manager
            let login = manager.post("login", returning: JSONResponseSerializer()).map { $0["token"]?.string ?? "" }
            let basket = manager.get("basket", returning: JSONResponseSerializer())
            // BLOCK DependentRequest.swift
            manager.call("POST", "orders").after(login, basket) { request, token, basket in
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                request.httpBody = try JSONEncoder().encode(basket)
            }.start()
            // END
            await site.server.wait { $0.requests.contains { $0.path == "/v1/orders" } }
            let sent = site.server.history.requests.last
            #expect(sent?.headers["Authorization"] == "Bearer t-1" && sent?.body == Data("{}".utf8))
        }
    }

    @Test func commentsOfTheManagersDefaultsRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK RequestOperationManager.swift
            manager.configure = { operation in
                if operation.request?.url?.pathExtension == "plist" {
                    operation.responseSerializer = PropertyListResponseSerializer()
                }
            }
            // END
            #expect(manager.operation("GET", "a.plist").responseSerializer is PropertyListResponseSerializer)
            #expect(manager.operation("GET", "a.json").responseSerializer is JSONResponseSerializer)
            // BLOCK BodiesAndDecisions.md
            manager.configure = { operation in
                operation.userInfo["made"] = ContinuousClock.now
                operation.timeouts.idle = .seconds(20)
            }
            // END
            #expect(manager.operation("GET", "a").timeouts.idle == .seconds(20))
            #expect(manager.operation("GET", "a").userInfo["made"] is ContinuousClock.Instant)
        }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Timeouts.swift
            manager.timeouts.connect = .seconds(3)
            let operation = manager.operation("GET", "big.bin", timeout: .seconds(600)) {
                $0.timeouts.idle = .seconds(20)
            }
            // END
            #expect(operation.timeouts.connect == .seconds(3) && operation.timeouts.idle == .seconds(20))
            #expect(operation.timeouts.total == .seconds(600))
            // BLOCK RequestOperationManager+Configuration.swift
            let data = try JSONEncoder().encode(manager.configuration)
            let configuration = try JSONDecoder().decode(RequestOperationManager.Configuration.self, from: data)
            // END
            #expect(configuration.transferOptions.timeouts.connect == .seconds(3))
        }
    }

    @Test func commentOfTheNotificationsRuns() async throws {
        try await Site.serving { site in
            printed.update { $0 = [] }
            // BLOCK RequestOperation+Request.swift
            RequestOperation.postsNotifications = true
            let name = Notification.Name("com.alamofire.networking.operation.start")
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                print($0.name)
            }
            // END
            try await site.manager.run(site.manager.operation("GET", "me"))
            await printed.becomes { $0.contains { $0.contains("operation.start") } }
            NotificationCenter.default.removeObserver(observer)
        }
    }

    @Test func commentsOfRunningRun() async throws {
        try await Site.serving { site in
            let (manager, file) = (site.manager, site.file("big.bin"))
            // BLOCK RequestOperationManager+Calls.swift
            let operation = manager.operation("GET", "big.bin") { $0.outputFile = file }
            try await manager.run(operation)
            // END
            #expect(try Data(contentsOf: file).count == 20_000)
        }
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK RequestOperationManager+Running.swift
            // where site.path("big.bin") is "/tmp/big.bin"
            let operation = manager.operation("GET", "big.bin")
            operation.outputFile = URL(fileURLWithPath: site.path("big.bin"))
            try await manager.run(operation)
            // END
            #expect(try Data(contentsOf: site.file("big.bin")).count == 20_000)
        }
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK BodyChunks.swift
            // where "big.bin" is "large.ndjson"
            let operation = manager.operation("GET", "big.bin")
            let chunks = operation.chunks
            manager.operationQueue.addOperation(operation)
            for try await chunk in chunks { print(chunk.count) }
            // END
            #expect(printed.value.compactMap(Int.init).reduce(0, +) == 20_000)
        }
    }

    @Test func commentsOfBatchesRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            let operations = ["a", "b"].map { manager.operation("GET", $0) }
            printed.update { $0 = [] }
            // BLOCK Batch.swift
            var options = Batch.Options()
            options.failurePolicy = .cancelAtFirstFailure
            let batch = manager.enqueue(Batch(of: operations, options: options))
            for await ending in batch.completions { print(ending.index, ending.result) }
            print(try await batch.outcome().counts)
            // END
            #expect(printed.value.count == 3)
        }
    }

    @Test func commentsOfResultsRun() async throws {
        try await Site.serving { site in
            let (manager, account) = (site.manager, ["user": "ada"])
            // BLOCK RequestHandle.swift
            let login = manager.post("login", parameters: account, returning: JSONResponseSerializer())
            let profile = manager.call("me").after(login) { request, login in
                request.setValue("Bearer \(login["token"]?.string ?? "")", forHTTPHeaderField: "Authorization")
            }.start()
            let name = try await profile.value["name"]
            // END
            #expect(name?.string == "Ada")
            try await run(site, profile)
        }
    }

    private func run(_ site: Site, _ profile: RequestHandle<JSONValue>) async throws {
        let (manager, serializer) = (site.manager, HTTPResponseSerializer())
        let login = manager.post("login", returning: JSONResponseSerializer()).map { $0["token"]?.string ?? "" }
        let parts = ["a", "b"].map { manager.get("parts/\($0)", returning: HTTPResponseSerializer()) }
        let guest = "guest"
        // BLOCK ResultSource.swift
        manager.call("orders").after(login) { request, token in
            request.setValue(token, forHTTPHeaderField: "X-Token")
        }.start(returning: serializer)
        manager.call("orders").after(login.orElse(guest)) { request, token in
            request.setValue(token, forHTTPHeaderField: "X-Token")
        }.start(returning: serializer)
        manager.call("orders").after(login.asResult) { request, result in
            request.setValue(try? result.get(), forHTTPHeaderField: "X-Token")
        }.start(returning: serializer)
        manager.call("page").after(profile, parts.all) { request, profile, parts in
            request.setValue("\(parts.count)", forHTTPHeaderField: "X-Part-Count")
        }.start(returning: serializer)
        // END
        await site.server.wait { $0.requests.filter { $0.path == "/v1/orders" }.count == 3 }
        await site.server.wait { $0.requests.contains { $0.headers["X-Part-Count"] == "2" } }
        #expect(site.server.history.requests.filter { $0.headers["X-Token"] == "t-1" }.count == 3)
    }

    @Test func commentsOfCookiesRun() async throws {
        try await Site.serving { site in
            let file = site.file("cookies.txt")
            try "# Netscape HTTP Cookie File\n".write(to: file, atomically: true, encoding: .utf8)
            // BLOCK CookieJar.swift
            let jar = CookieJar()
            try await jar.load(from: file)
            var configuration = RequestOperationManager.Configuration()
            configuration.cookieJar = jar
            // END
            let manager = RequestOperationManager(baseURL: site.base, configuration: configuration)
            try await manager.delete("users/1")
        }
    }
}
