// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetCache
@testable import BluebonnetHTTP

/// Large bodies, which the cache delivers from their files.
@Suite(.timeLimit(.minutes(1))) struct CacheBodyFileTests {
    private let folder = TemporaryFolder()
    private static let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    private static let digest = MessageDigest.hexadecimalDigest(of: body)

    /// Returns a manager as of a new process: it knows no stored response yet.
    private func manager(maximumBodyByteCount: Int = 1 << 20) throws -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.responseCache = try FolderResponseCache(at: folder.url)
        configuration.maximumBodyByteCount = maximumBodyByteCount
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    private func withServer(_ test: (TestServer, String) async throws -> Void) async throws {
        let server = try await TestServer.start { _ in
            .response(headers: ["Cache-Control": "max-age=60", "ETag": "\"1\""], body: Self.body)
        }
        try await test(server, server.url("/a").absoluteString)
        await server.stop()
    }

    private func file(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    private var bodyFiles: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: file("bodies").path)) ?? []
    }

    @Test func downloadIsStoredAndServed() async throws {
        try await withServer { server, url in
            for number in 0..<3 {
                let target = file("download-\(number)")
                let response = try await manager().call(url).download(to: target, expectedDigest: Self.digest)
                #expect(response.summary.isFromCache == (number > 0) && response.headers["Age"] != "x")
                #expect(try Data(contentsOf: target) == Self.body)
                // The program's own bytes do not reach the cache.
                let own = try FileHandle(forWritingTo: target)
                try own.write(contentsOf: Data("changed".utf8))
                try own.close()
            }
            #expect(server.requests.count == 1 && bodyFiles == [Self.digest])
        }
    }

    @Test func servedFileReplacesAnother() async throws {
        try await withServer { server, url in
            try await manager().call(url).response()
            let target = file("download")
            try Data(repeating: 1, count: 900_000).write(to: target)
            try await manager().call(url).download(to: target)
            #expect(try Data(contentsOf: target) == Self.body && server.requests.count == 1)
        }
    }

    @Test func digestOfServedFileIsCompared() async throws {
        try await withServer { server, url in
            try await manager().call(url).response()
            let other = MessageDigest.hexadecimalDigest(of: Data())
            await #expect(throws: NetworkingError.self) {
                try await manager().call(url).download(to: file("download"), expectedDigest: other)
            }
            #expect(!FileManager.default.fileExists(atPath: file("download").path) && server.requests.count == 1)
        }
    }

    @Test func streamReceivesBodyFromFile() async throws {
        try await withServer { server, url in
            try await manager().call(url).download(to: file("download"))
            let stream = OutputStream.toMemory()
            try await manager().call(url).configure { $0.outputStream = stream }.response()
            let received = stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
            #expect(received == Self.body && server.requests.count == 1)
        }
    }

    @Test func deviceReceivesBodyFromFile() async throws {
        try await withServer { server, url in
            try await manager().call(url).download(to: file("download"))
            let device = URL(fileURLWithPath: "/dev/null")
            try await manager().call(url).download(to: device, expectedDigest: Self.digest)
            #expect(server.requests.count == 1)
        }
    }

    @Test func memoryAndRangesAreServed() async throws {
        try await withServer { server, url in
            try await manager().call(url).download(to: file("download"))
            #expect(try await manager().call(url).response().value == Self.body)
            let part = try await manager().call(url).header("Range", "bytes=300000-300009").response()
            #expect(part.value == Self.body[300_000..<300_010] && part.statusCode == 206)
            #expect(try await manager().call(url).method("HEAD").response().value.isEmpty)
            #expect(server.requests.count == 1)
        }
    }

    @Test func damagedBodyIsLoadedAgain() async throws {
        try await withServer { server, url in
            try await manager().call(url).download(to: file("download"))
            let stored = try FileHandle(forWritingTo: file("bodies/\(Self.digest)"))
            try stored.write(contentsOf: Data("x".utf8))
            try stored.close()
            try await manager().call(url).download(to: file("again"), expectedDigest: Self.digest)
            #expect(try Data(contentsOf: file("again")) == Self.body && server.requests.count == 2)
            try FileHandle(forWritingTo: file("bodies/\(Self.digest)")).truncate(atOffset: 10)
            try await manager().call(url).download(to: file("again"), expectedDigest: Self.digest)
            #expect(server.requests.count == 3)
        }
    }

    @Test func streamedBodyBeyondMemoryIsNotStored() async throws {
        try await withServer { server, url in
            for limit in [1000, 1 << 20, 1000] {
                let call = try manager(maximumBodyByteCount: limit).call(url)
                try await call.configure { $0.outputStream = .toMemory() }.response()
            }
            // The first body was too large for memory, the second was stored.
            #expect(server.requests.count == 2 && bodyFiles == [Self.digest])
        }
    }
}
