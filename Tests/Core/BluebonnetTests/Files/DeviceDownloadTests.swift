// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct DeviceDownloadTests {
        private let folder: DownloadFolder

        init() throws { folder = try DownloadFolder() }

        private func link(to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: target)
        }

        private var target: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: folder.path) }

        // SHA-256 of no bytes, and of "abc" (FIPS 180-2, B.1).
        @Test(arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
        func bodyIsWrittenToALinkedDevice(body: String, digest: String) async throws {
            defer { folder.remove() }
            try link(to: "/dev/null")
            try await TestServer.answering(.response(body: body)) { server in
                let operation = folder.operation(URLRequest(url: server.url()))
                operation.expectedDigest = digest
                _ = await operation.run()
                #expect(operation.error == nil)
                #expect(operation.digest == digest)
                #expect(operation.receivedByteCount == body.utf8.count)
                #expect(operation.downloadedFile?.path == folder.path)
                #expect(target == "/dev/null")
                #expect(folder.names == ["file"])
            }
        }

        @Test func twoDownloadsToTheNullDeviceRunAtOnce() async throws {
            defer { folder.remove() }
            let body = Data.patterned(byteCount: 3_000_000)
            let null = URL(fileURLWithPath: "/dev/null")
            try await TestServer.answering(.response(body: body)) { server in
                let operations = (0..<2).map { _ in HTTPRequestOperation(request: URLRequest(url: server.url())) }
                for operation in operations {
                    operation.outputFile = null
                    operation.start()
                }
                for operation in operations {
                    let value = try await operation.value(as: URL.self)
                    #expect(value == null)
                    #expect(operation.receivedByteCount == 3_000_000)
                }
                let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
                #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
            }
        }

        @Test func fullDeviceFailsTheDownload() async throws {
            defer { folder.remove() }
            try link(to: "/dev/full")
            try await TestServer.answering(.response(body: "abc")) { server in
                let operation = await folder.download(server.url())
                #expect(operation.code == .cannotWriteFile)
                #expect(operation.error?.message == "cannot write \(folder.path)")
                #expect(target == "/dev/full")
            }
        }

        @Test func pipeIsRefusedBeforeTheRequestIsSent() async throws {
            defer { folder.remove() }
            #expect(mkfifo(folder.path, 0o600) == 0)
            try await TestServer.answering(.response(body: "abc")) { server in
                #expect(await folder.download(server.url()).code == .cannotOpenFile)
                #expect(server.requests.isEmpty)
                #expect(folder.names == ["file"])
            }
        }
    }
}
