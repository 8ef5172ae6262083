// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

extension PageTests {
    @Test func readmeRuns() async throws {
        try await Site.serving { site in
            defer { NetworkReachabilityManager.shared.stopMonitoring() }
            let (key, backupKey) = (
                "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
                "sha256/4bm5+7pRHIcGeBVFfPrkJV4sBoV6pYMTkyDvVcUDfs0="
            )
            // BLOCK README.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            // where site.file("photo.jpg") is URL(fileURLWithPath: "photo.jpg")
            // where site.file("disk.img") is URL(fileURLWithPath: "disk.img")
            let manager = RequestOperationManager(baseURL: site.base)
            manager.headers["X-Client"] = "demo"
            manager.timeouts.idle = .seconds(20)

            // Calls that wait: for a value, for a value with its response, or for the response alone.
            struct User: Codable, Sendable { var name: String }
            let user: User = try await manager.get("users/1")
            let page = try await manager.get("users", parameters: ["page": 2], as: [User].self)
            print(page.links["next"]?.absoluteString ?? "the last page", page.value.count)
            try await manager.delete("users/1")

            // A call with your own type as JSON, and a call with a multipart form that is streamed from disk.
            let created: User = try await manager.post("users", body: .json(User(name: "Ada")))
            try await manager.post(
                "photos",
                body: .multipart { form in
                    try form.append(fileAt: site.file("photo.jpg"), name: "photo")
                })

            // A batch with one completion.
            let operations = ["a", "b", "c"].map { manager.operation("GET", "items/\($0)") }
            manager.enqueueBatch(of: operations) { finished, total in
                print("\(finished) of \(total)")
            } completion: { operations in
                print(operations.map(\.statusCode))
            }

            // A call that needs the result of the login: made when the login has ended, and skipped otherwise.
            let login = manager.post(
                "login", parameters: ["user": "ada", "password": "…"], returning: JSONResponseSerializer())
            let orders = manager.call("orders").after(login) { request, login in
                request.setValue("Bearer \(login["token"]?.string ?? "")", forHTTPHeaderField: "Authorization")
            }.start()
            print(try await orders.value)

            // A download that is written beside its destination, and moved into place.
            try await manager.download("images/disk.img", to: site.file("disk.img"))

            // The same as an operation, which can be paused, resumed and cancelled.
            let download = manager.operation("GET", "images/disk.img") { $0.outputFile = site.file("disk.img") }
            manager.enqueue(download)
            download.pause()
            download.resume()

            // AFNetworking's session managers and tasks, on the same operations.
            let session = HTTPSessionManager(baseURL: site.base)
            session.get("me") { task, object in
                print(object)
            } failure: { task, error in
                print(error)
            }

            // A pinned key and a backup key.
            let pins = try PinSet(keys: [key], backupKeys: [backupKey])
            manager.securityPolicy = try SecurityPolicy(pinningMode: .publicKey, pins: pins)

            // TLS 1.3 only, and a client certificate, which only the request's origin gets.
            manager.transferOptions.tls = try TLSOptions(minimumVersion: .v13)
            manager.transferOptions.tls.clientIdentity = .files(certificate: "client.pem", key: "client.key")

            // Requests that are sent again after a failure that may pass, where the server cannot have acted twice.
            manager.retryPolicy = .standard

            // A token that is sent to its origin only, and refreshed once for all operations before it expires and
            // after a 401.
            let endpoint = TokenEndpoint(URL(string: "https://login.example.com/token")!, clientID: "reports")
            manager.authenticator = SharedAuthenticator(
                BearerAuthenticator(endpoint), credential: BearerToken("…", refreshToken: "…"),
                origins: [manager.baseURL!])

            // Reachability of the network, and operations that wait for it.
            NetworkReachabilityManager.shared.setReachabilityStatusChangeBlock { print($0.localizedDescription) }
            NetworkReachabilityManager.shared.startMonitoring()
            manager.transferOptions.waitsForConnectivity = true
            // END
            #expect(user.name == "Ada" && created.name == "Ada")
            try await download.waitUntilEnded()
            #expect(download.error == nil)
            #expect(try Data(contentsOf: site.file("disk.img")).count == 20_000)
            await printed.becomes { $0.contains("[Optional(200), Optional(200), Optional(200)]") }
            let requests = site.server.history.requests
            // The session, which requests /v1/me, has no default fields.
            #expect(requests.allSatisfy { $0.headers["X-Client"] == "demo" || $0.path == "/v1/me" })
            let ordered = requests.first { $0.path == "/v1/orders" }
            #expect(ordered?.headers["Authorization"] == "Bearer t-1")
        }
    }

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

            // A call that needs the result of the login: made when the login has ended, and skipped otherwise.
            let login = manager.post(
                "login", parameters: ["user": "ada", "password": "…"], returning: JSONResponseSerializer())
            let orders = manager.call("orders").after(login) { request, login in
                request.setValue("Bearer \(login["token"]?.string ?? "")", forHTTPHeaderField: "Authorization")
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
