// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The environment of the machine does not change requests.
    @Suite struct EnvironmentTests {
        /// Sets environment variables of the process while `body` runs.
        private func withEnvironment(_ variables: [String: String], _ body: () async throws -> Void) async throws {
            let old = variables.keys.map { ($0, getenv($0).map { String(cString: $0) }) }
            for (name, value) in variables { setenv(name, value, 1) }
            defer {
                for (name, value) in old {
                    if let value { setenv(name, value, 1) } else { unsetenv(name) }
                }
            }
            try await body()
        }

        @Test func environmentProxiesAreIgnored() async throws {
            let nowhere = "http://127.0.0.1:\(try LoopbackPort.unused())"
            let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            let variables = Dictionary(uniqueKeysWithValues: names.map { ($0, nowhere) })
            let secure = try await TestServer.start(tls: .localhost) { _ in .response(body: "direct") }
            try await TestServer.answering(.response(body: "direct")) { server in
                try await withEnvironment(variables) {
                    #expect(await get(server.url()).responseString == "direct")
                    let operation = await get(secure.url(), try .trustingTestAuthority)
                    #expect(operation.responseString == "direct")
                }
            }
            await secure.stop()
        }

        @Test func netrcFileIsNotRead() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let path = try folder.write(".netrc", "machine 127.0.0.1 login user password secret\n")
            chmod(path, 0o600)
            try await TestServer.answering(.response()) { server in
                try await withEnvironment(["HOME": folder.url.path, "NETRC": path]) {
                    #expect(await get(server.url()).error == nil)
                }
                #expect(server.requests.map { $0.headers["Authorization"] } == [nil])
            }
        }
    }
}
