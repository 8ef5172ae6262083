// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Transfers that share one limit of bytes a second. No transfer waits forever because of another.
    @Suite struct SharedByteRateTests {
        private static let body = Data.patterned(byteCount: 60_000)

        /// An endless response, or the complete body.
        private static let script: TestServer.Script = { request in
            guard request.path == "/endless" else { return .response(body: body) }
            let head = Data("HTTP/1.1 200 OK\r\n\r\n".utf8)
            return Reply([.bytes(head), .endless(chunk: Data(count: 65_536))])
        }

        private static func manager() throws -> RequestOperationManager {
            var configuration = RequestOperationManager.Configuration()
            configuration.transferOptions = try .trustingTestAuthority
            configuration.responseSerializer = HTTPResponseSerializer()
            configuration.maximumBytesPerSecond = 400_000
            configuration.maximumConcurrentTransferCountPerOrigin = 64
            return RequestOperationManager(configuration: configuration)
        }

        /// Runs `body` during two endless transfers: one to memory, one to a file.
        private static func besideEndlessTransfers(
            _ server: TestServer, _ manager: RequestOperationManager, _ body: () async throws -> Void
        ) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let endless = [
                manager.operation(with: URLRequest(url: server.url("/endless"))),
                folder.operation(URLRequest(url: server.url("/endless")), manager.transferOptions),
            ]
            for operation in endless {
                let arrived = Gate()
                operation.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
                manager.enqueue(operation)
                await arrived.wait()
                operation.onDownloadProgress = nil
            }
            try await body()
            for operation in endless {
                #expect(!operation.isFinished)
                operation.cancel()
                await operation.waitAsOwner()
                #expect(operation.code == .cancelled)
            }
        }

        /// Runs an operation of the manager to its end.
        private static func run(
            _ request: URLRequest, _ manager: RequestOperationManager
        ) async -> HTTPRequestOperation {
            let operation = manager.operation(with: request)
            manager.enqueue(operation)
            await operation.waitAsOwner()
            return operation
        }

        @Test(arguments: [false, true])
        func transferOnSeparateConnectionEndsDuringEndlessTransfers(areEndlessOnesSecure: Bool) async throws {
            var secure = TestServer.Options()
            secure.certificate = .localhost
            let manager = try Self.manager()
            try await TestServer.serving(areEndlessOnesSecure ? secure : .init(), script: Self.script) { server in
                try await TestServer.serving(areEndlessOnesSecure ? .init() : secure, script: Self.script) { other in
                    try await Self.besideEndlessTransfers(server, manager) {
                        let operation = await Self.run(URLRequest(url: other.url()), manager)
                        #expect(operation.error == nil && operation.responseData == Self.body)
                    }
                }
            }
        }

        @Test func uploadEndsDuringEndlessDownloads() async throws {
            let manager = try Self.manager()
            try await TestServer.serving(script: Self.script) { server in
                try await Self.besideEndlessTransfers(server, manager) {
                    var request = URLRequest("POST", server.url("/upload"))
                    request.httpBody = Self.body
                    let operation = await Self.run(request, manager)
                    #expect(operation.error == nil && operation.responseData == Self.body)
                    #expect(server.requests.last?.body == Self.body)
                }
            }
        }

        @Test func fileDownloadEndsDuringEndlessDownloads() async throws {
            let manager = try Self.manager()
            try await TestServer.serving(script: Self.script) { server in
                try await Self.besideEndlessTransfers(server, manager) {
                    let folder = try DownloadFolder()
                    defer { folder.remove() }
                    let operation = manager.operation(with: URLRequest(url: server.url("/file")))
                    operation.outputFile = URL(fileURLWithPath: folder.path)
                    manager.enqueue(operation)
                    await operation.waitAsOwner()
                    #expect(operation.error == nil && folder.contents == Self.body)
                }
            }
        }

        @Test func streamEndsDuringEndlessDownloads() async throws {
            let manager = try Self.manager()
            try await TestServer.serving(script: Self.script) { server in
                try await Self.besideEndlessTransfers(server, manager) {
                    let operation = manager.operation(with: URLRequest(url: server.url("/stream")))
                    let chunks = operation.chunks
                    manager.enqueue(operation)
                    var received = Data()
                    for try await chunk in chunks { received.append(chunk) }
                    #expect(received == Self.body)
                }
            }
        }

        @Test func manySmallTransfersEndDuringEndlessDownloads() async throws {
            let manager = try Self.manager()
            try await TestServer.serving(script: Self.script) { server in
                try await Self.besideEndlessTransfers(server, manager) {
                    let operations = (0..<8).map { number in
                        manager.operation(with: URLRequest("POST", server.url("/\(number)"), body: "\(number)"))
                    }
                    for operation in operations { manager.enqueue(operation) }
                    for operation in operations {
                        await operation.waitAsOwner()
                        #expect(operation.error == nil && operation.responseData == Self.body)
                    }
                }
            }
        }
    }
}
