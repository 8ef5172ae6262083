// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The printed command makes curl send the same request as the operation.
    @Suite(.enabled(if: access("/usr/bin/curl", X_OK) == 0)) struct CurlCommandRunTests {
        struct Case: Sendable, CustomTestStringConvertible {
            var method = "GET"
            var path = "/"
            var headers: [String: String] = [:]
            var body: Data?
            var file: String?
            var user: String?
            var keepsDotSegments = false

            var testDescription: String { "\(method) \(path) \(headers) \(body?.count ?? 0)" }
        }

        static let cases = [
            Case(), Case(path: "/a%20b/../c?q=[1]{2}&x=it's;$HOME#fragment"), Case(method: "HEAD"),
            Case(method: "DELETE"),
            Case(headers: [
                "X-Quote": "it's \"so\" $HOME `id` \\ *", "X-Empty": "", "Accept": "a/b", "User-Agent": "me",
            ]),
            Case(headers: ["Authorization": "Bearer secret", "Cookie": "a=b; c=d", "X-Api-Key": "k"]),
            Case(method: "POST"), Case(method: "PUT"), Case(method: "PATCH"),
            Case(method: "POST", body: Data("a=1&b='two'\n$x".utf8)),
            Case(method: "POST", headers: ["Content-Type": "application/json"], body: Data(#"{"é":"it's"}"#.utf8)),
            Case(method: "POST", body: Data("@/etc/passwd".utf8)), Case(method: "PUT", body: Data("-x".utf8)),
            Case(method: "POST", body: Data((0...255).map { UInt8($0) })),
            Case(method: "PATCH", body: .patterned(byteCount: 60_000)), Case(method: "GET", body: Data("odd".utf8)),
            Case(method: "PURGE", body: Data("x".utf8)), Case(method: "PUT", path: "/file", file: "contents"),
            Case(method: "POST", path: "/folder/", file: "contents"), Case(path: "/x", user: "ada:pa'ss"),
            Case(path: "/a/../b/./c"), Case(path: "/a/%2e%2E/b/."), Case(path: "/a/../%2e/b", keepsDotSegments: true),
            Case(method: "PUT", path: "/a/b/..", file: "contents"),
        ]

        @Test(arguments: cases)
        func curlSendsTheSameRequest(_ test: Case) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response(body: "fine")) { server in
                var url = server.url(test.path)
                if let user = test.user {
                    var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
                    (parts.user, parts.password) = (String(user.prefix(3)), String(user.dropFirst(4)))
                    url = try #require(parts.url)
                }
                var request = URLRequest(test.method, url, headers: test.headers)
                request.httpBody = test.body
                let options = TransferOptions { $0.keepsDotSegments = test.keepsDotSegments }
                let operation = RequestOperation(request: request, options: options)
                if let file = test.file {
                    operation.uploadFile = URL(fileURLWithPath: try folder.write("it's a file", file))
                }
                let command = try #require(operation.curlCommand(includingSecrets: true))
                #expect(await operation.run().error == nil)
                let status = try await run(command, in: folder)
                #expect(status == 0, "\(command)")
                try #require(server.requests.count == 2)
                let (sent, told) = (server.requests[0], server.requests[1])
                #expect((sent.method, sent.target, sent.version) == (told.method, told.target, told.version))
                #expect(sorted(sent) == sorted(told), "\(command)")
                #expect(sent.body == told.body)
            }
        }

        private func sorted(_ request: ReceivedRequest) -> [String] {
            request.headers.fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        }

        @Test func commandUsesUnixSocket() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.unixSocketPath = folder.path("socket")
            try await TestServer.answering(.response(), options) { server in
                let through = TransferOptions { $0.unixSocketPath = folder.path("socket") }
                let status = try await run(URLRequest(url: server.url("/u")).curlCommand(options: through), in: folder)
                #expect(status == 0)
                #expect(server.requests.map(\.target) == ["/u"])
            }
        }

        @Test func commandUsesProxyAndAddressOverride() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try await TestServer.answering(.response()) { server in
                let proxied = try TransferOptions {
                    $0.proxy = try Proxy("http://us%20er:p'w@127.0.0.1:\(server.port)")
                }
                let far = try #require(URL(string: "http://origin.test/x"))
                let first = URLRequest(url: far).curlCommand(options: proxied, includingSecrets: true)
                #expect(try await run(first, in: folder) == 0)
                let overridden = TransferOptions { $0.addressOverrides = ["name.test": "127.0.0.1"] }
                let near = URLRequest(url: server.url("/y", host: "name.test"))
                #expect(try await run(near.curlCommand(options: overridden), in: folder) == 0)
                #expect(server.requests.map(\.target) == ["http://origin.test/x", "/y"])
                // "us er:p'w" in Base64.
                #expect(server.requests.first?.headers["Proxy-Authorization"] == "Basic dXMgZXI6cCd3")
            }
        }

        /// Runs a command in a shell and returns its exit status.
        private func run(_ command: String, in folder: TemporaryFolder) async throws -> Int32 {
            let words: [UnsafeMutablePointer<CChar>?] = ["/bin/sh", "-c", command].map { strdup($0 as String) } + [nil]
            defer { for word in words { free(word) } }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            let output = folder.path("output")
            posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
            var id = pid_t()
            guard posix_spawn(&id, "/bin/sh", &actions, nil, words, environ) == 0 else { throw POSIXError.last }
            return await withCheckedContinuation { [id] done in
                Thread.detachNewThread {
                    var status: Int32 = 0
                    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
                    done.resume(returning: status)
                }
            }
        }
    }
}
