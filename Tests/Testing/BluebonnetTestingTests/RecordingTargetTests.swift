// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetTesting

@Suite(.timeLimit(.minutes(1))) struct RecordingTargetTests {
    /// As root, a rename would replace a device, too.
    @Test(arguments: ["device", "pipe", "pipe-link", "socket"])
    func recordingReplacesRegularFilesOnly(name: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(mknod(folder.path("socket"), S_IFSOCK | 0o600, 0) == 0)
        for (link, target) in [("device", "/dev/null"), ("pipe-link", folder.path("pipe"))] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: target)
        }
        func kind(of path: String = folder.path(name)) -> FileAttributeType? {
            try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        }
        let before = kind()
        let server = try await TestServer.start { _ in
            .response(headers: ["Content-Type": "application/json"], body: "1")
        }
        let recording = try TrafficRecording(file: URL(fileURLWithPath: folder.path(name)), mode: .record)
        let manager = RequestOperationManager(baseURL: server.url(), recording: recording)
        let value: JSONValue = try await manager.get("a")
        #expect(value == .integer(1))
        let error = #expect(throws: NetworkingError.self) { try recording.expectAllPlayed() }
        #expect(error?.code == .cannotWriteFile)
        #expect(kind() == before)
        #expect(kind(of: "/dev/null") == .typeCharacterSpecial)
        await server.stop()
    }
}
