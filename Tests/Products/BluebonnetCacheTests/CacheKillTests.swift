// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CacheProbe
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetCache
@testable import BluebonnetHTTP

/// Kills processes while they store. `BLUEBONNET_KILLS=200` kills more often than the suite.
@Suite(.timeLimit(.minutes(5))) struct CacheKillTests {
    private static let killCount = ProcessInfo.processInfo.environment["BLUEBONNET_KILLS"].flatMap { Int($0) } ?? 12

    @Test func killedProcessLeavesNoWrongBody() async throws {
        let folder = TemporaryFolder()
        var checkedCount = 0
        for _ in 0..<Self.killCount {
            try kill(folder, after: .random(in: 0.005...0.12))
            checkedCount += try check(folder)
        }
        #expect(checkedCount > Self.killCount)
    }

    /// Starts two processes and kills them.
    private func kill(_ folder: TemporaryFolder, after seconds: Double) throws {
        let probes = try (0..<2).map { _ in
            let probe = Process()
            probe.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
                .deletingLastPathComponent().appendingPathComponent("CacheProbe")
            probe.arguments = [folder.url.path]
            let output = Pipe()
            probe.standardOutput = output
            try probe.run()
            #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
            return probe
        }
        Thread.sleep(forTimeInterval: seconds)
        for probe in probes {
            #expect(probe.isRunning)
            Foundation.kill(probe.processIdentifier, SIGKILL)
            probe.waitUntilExit()
        }
    }

    /// Returns the number of responses whose bodies were compared.
    private func check(_ folder: TemporaryFolder) throws -> Int {
        let cache = try FolderResponseCache(at: folder.url, byteCapacity: 2_000_000)
        var count = 0
        for number in 0..<40 {
            let url = try #require(URL(string: "http://probe.test/\(number)"))
            for entry in cache.entries(for: CacheKeyPair(partition: "", key: CacheKey(url))) {
                guard let body = cache.body(of: entry) else { continue }
                let seed = try #require(entry.headers["X-Seed"].flatMap { Int($0) })
                #expect(body == ProbeResponse.body(url, seed))
                count += 1
            }
        }
        return count
    }
}
