// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetCache
@testable import BluebonnetHTTP
@testable import BluebonnetNetwork

/// The files of stored bodies, as responses receive them.
@Suite(.timeLimit(.minutes(1))) struct StoredBodyFileTests {
    /// What another program does to the file of a stored body.
    enum Change: CaseIterable {
        case cut, extended, altered, removed, replacedByAFolder, replacedByALinkToNothing
    }

    private static let body = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    private let folder = TemporaryFolder()

    private func opened() throws -> FolderResponseCache { try FolderResponseCache(at: folder.url) }

    /// The path of the only stored body.
    private func path() throws -> String {
        let bodies = folder.url.appendingPathComponent("bodies").path
        let names = try FileManager.default.contentsOfDirectory(atPath: bodies)
        try #require(names.count == 1)
        return "\(bodies)/\(names[0])"
    }

    private func bodyFile(in cache: FolderResponseCache) throws -> CacheBodyFile? {
        cache.bodyFile(of: try #require(cache.entries(for: .of("/a")).first))
    }

    private func change(_ change: Change, _ path: String) throws {
        switch change {
        case .cut: #expect(truncate(path, off_t(Self.body.count) - 1) == 0)
        case .extended: #expect(truncate(path, off_t(Self.body.count) + 1) == 0)
        case .altered:
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seek(toOffset: UInt64(Self.body.count) - 1)
            try handle.write(contentsOf: Data([0xFF]))
            try handle.close()
        case .removed: #expect(unlink(path) == 0)
        case .replacedByAFolder: #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        case .replacedByALinkToNothing: #expect(unlink(path) == 0 && symlink("nowhere", path) == 0)
        }
    }

    @Test func fileHasTheBodyWithItsLengthAndDigest() throws {
        try opened().store("/a", .data(Self.body))
        for cache in [try opened(), try opened()] {
            let file = try #require(try bodyFile(in: cache))
            #expect(file.byteCount == Int64(Self.body.count))
            #expect(file.sha256 == MessageDigest.hexadecimalDigest(of: Self.body))
            #expect(try file.contents(of: 0..<file.byteCount) == Self.body)
        }
    }

    @Test(arguments: Change.allCases) func changedFileIsNotUsed(_ kind: Change) throws {
        try opened().store("/a", .data(Self.body))
        try change(kind, try path())
        let cache = try opened()
        #expect(try bodyFile(in: cache) == nil)
        let entry = try #require(cache.entries(for: .of("/a")).first)
        #expect(cache.body(of: entry) == nil)
    }

    /// The library removes a response whose body is lost. Its next response is stored.
    @Test(arguments: [Change.cut, .altered, .removed]) func lostBodyIsStoredAgain(_ kind: Change) throws {
        let cache = try opened()
        try cache.store("/a", .data(Self.body))
        try change(kind, try path())
        cache.apply([.remove(try #require(cache.entries(for: .of("/a")).first).id)])
        try cache.store("/a", .data(Self.body))
        let file = try #require(try bodyFile(in: opened()))
        #expect(try file.contents(of: 0..<file.byteCount) == Self.body)
    }

    /// Another process removes the response while its body is delivered.
    @Test func openFileOutlivesItsResponse() throws {
        let cache = try opened()
        try cache.store("/a", .data(Self.body))
        let file = try #require(try bodyFile(in: cache))
        let start = try file.contents(of: 0..<1_000_000)
        try opened().removeAll()
        #expect(try cache.entries(for: .of("/a")).isEmpty)
        #expect(try start + file.contents(of: 1_000_000..<file.byteCount) == Self.body)
    }

    @Test func fileOfTheProgramIsNeitherLinkedNorChanged() throws {
        let (cache, own) = (try opened(), folder.url.appendingPathComponent("own").path)
        try Self.body.write(to: URL(fileURLWithPath: own))
        #expect(chmod(own, 0o644) == 0)
        let digest = MessageDigest.hexadecimalDigest(of: Self.body)
        try cache.store("/a", .file(URL(fileURLWithPath: own), sha256: digest))
        let stored = try path()
        #expect(try attribute(.systemFileNumber, stored) != attribute(.systemFileNumber, own))
        #expect(try attribute(.referenceCount, stored) == 1 && attribute(.referenceCount, own) == 1)
        #expect(try attribute(.posixPermissions, stored) == 0o600 && attribute(.posixPermissions, own) == 0o644)
        #expect(try Data(contentsOf: URL(fileURLWithPath: own)) == Self.body)
    }

    private func attribute(_ key: FileAttributeKey, _ path: String) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: path)[key]
        return try #require((value as? NSNumber)?.intValue)
    }
}
