// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A name with several addresses, some of them silent (RFC 8305, 5). No time limit helps these requests: without
    /// a limit, libcurl waits for the first address for days.
    @Suite struct SilentAddressTests {
        private static let name = "several.example"

        /// Calls `body` while the given loopback addresses are silent on the server's port.
        private func serving(
            _ hosts: ClosedRange<UInt8>, _ server: TestServer, _ body: () async throws -> Void
        ) async throws {
            let silent = try hosts.map { try FullServer(host: $0, port: UInt16(server.port)) }
            defer { for server in silent { server.stop() } }
            try await body()
        }

        private func options(_ hosts: [UInt8], name: String = name) -> TransferOptions {
            var options = TransferOptions()
            options.addressOverrides[name] = hosts.map { "127.0.0.\($0)" }.joined(separator: ",")
            options.timeouts.connect = .zero
            return options
        }

        @Test(arguments: [[2, 1], [2, 3, 1], [2, 3, 4, 5, 1], [2, 9, 1], [9, 2, 1], [2, 2, 1]] as [[UInt8]])
        func nextAddressIsTriedWhenOneIsSilent(hosts: [UInt8]) async throws {
            try await TestServer.answering(.response(body: "here")) { server in
                try await serving(2...5, server) {
                    let request = URLRequest("POST", server.url(host: Self.name), body: "once")
                    let operation = await perform(request, options(hosts))
                    #expect(operation.error == nil)
                    #expect(operation.responseString == "here")
                    #expect(server.requests.map(\.bodyText) == ["once"])
                    #expect(server.connectionCount == 1)
                }
            }
        }

        @Test func manyRequestsReachTheAnsweringAddress() async throws {
            try await TestServer.answering(.response(body: "here")) { server in
                try await serving(2...2, server) {
                    let options = options([2, 1])
                    let operations = (0..<20).map { _ in
                        RequestOperation(request: URLRequest(url: server.url(host: Self.name)), options: options)
                    }
                    for operation in operations { operation.start() }
                    for operation in operations { await operation.waitAsOwner() }
                    #expect(operations.map(\.responseString) == Array(repeating: "here", count: 20))
                }
            }
        }

        @Test func certificateIsCheckedAtTheAnsweringAddress() async throws {
            var serverOptions = TestServer.Options()
            (serverOptions.certificate, serverOptions.speaksHTTP2) = (.localhost, true)
            try await TestServer.answering(.response(body: "here"), serverOptions) { server in
                try await serving(2...2, server) {
                    var options = options([2, 1], name: "localhost")
                    options.securityPolicy = try TransferOptions.trustingTestAuthority.securityPolicy
                    let operation = await get(server.url(host: "localhost"), options)
                    #expect(operation.responseString == "here")
                    #expect(operation.error == nil)
                    options = self.options([2, 1])
                    options.securityPolicy = try TransferOptions.trustingTestAuthority.securityPolicy
                    #expect(await get(server.url(host: Self.name), options).code == .serverNotTrusted)
                }
            }
        }

        @Test func slowFirstAddressIsNotAbandoned() async throws {
            let late = try FullServer(host: 2)
            defer { late.stop() }
            let silent = try FullServer(host: 3, port: late.port)
            defer { silent.stop() }
            let url = try #require(URL(string: "http://\(Self.name):\(late.port)/"))
            let operation = RequestOperation(request: URLRequest(url: url), options: options([2, 3]))
            operation.start()
            // The first packet is lost. The next packet follows after a second, when the other address is tried too.
            for _ in 0..<20 { await networkThreadAnswers() }
            late.serve()
            await operation.waitAsOwner()
            #expect(operation.error == nil)
            #expect(operation.responseString == "late")
        }

        /// The addresses come from the system's resolver, not from `addressOverrides`.
        @Test(.enabled(if: TestProgram.canReplaceFiles))
        func nextResolvedAddressIsTriedWhenOneIsSilent() async throws {
            let answering = try FullServer(host: 2)
            defer { answering.stop() }
            answering.serve()
            let silent = try FullServer(host: 1, port: answering.port)
            defer { silent.stop() }
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let hosts = try folder.write("hosts", "127.0.0.1 \(Self.name)\n127.0.0.2 \(Self.name)\n")
            let lines = try folder.write("lines", "{\"url\":\"http://\(Self.name):\(answering.port)/\"}\n")
            let end = try await TestProgram.built("bluebonnet").with(["run", "--quiet", lines])
                .with(hosts, inPlaceOf: "/etc/hosts").run()
            #expect(end.status == 0, "\(end.output)")
        }

        @Test func silentAddressesEndAtTheConnectTimeout() async throws {
            let first = try FullServer(host: 2)
            defer { first.stop() }
            let second = try FullServer(host: 3, port: first.port)
            defer { second.stop() }
            let url = try #require(URL(string: "http://\(Self.name):\(first.port)/"))
            var options = options([2, 3])
            options.timeouts.connect = .milliseconds(700)
            let operation = await get(url, options)
            #expect(operation.code == .timedOut)
            #expect(operation.error?.timeLimit == .connect)
        }
    }
}
