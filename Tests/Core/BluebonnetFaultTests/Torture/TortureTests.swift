// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import TestSupport
import Testing

extension FaultTests {
    /// The n-th call of a C library function fails, for each n in turn, each in its own program run. There must be no
    /// crash, no hang and no false success, and the same work must succeed once calls no longer fail.
    ///
    /// `BLUEBONNET_TORTURE` is the number of calls per function that are tried; "all" tries every call.
    /// `Scripts/torture` sets it.
    @Suite(
        .skipped(
            in: .thread, .address, because: "the sanitizer stands in for the same functions of the C library"))
    struct TortureTests {
        private static let sampleCount: Int = {
            let text = ProcessInfo.processInfo.environment["BLUEBONNET_TORTURE"] ?? "3"
            return text == "all" ? .max : Int(text) ?? 3
        }()

        private func withProbe(_ body: (TorturedProbe) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.certificate = .localhost
            let letters = Data((0..<100_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
            let script: TestServer.Script = { request in
                let words = request.path.split(separator: "/")
                guard words.first == "bytes", let count = words.last.flatMap({ Int($0) }) else {
                    return .response(body: "\(request.body.count)")
                }
                return .response(body: letters.prefix(count))
            }
            try await TestServer.serving(options, script: script) { server in
                try await body(TorturedProbe(server: server, in: folder))
            }
        }

        /// All numbers up to the count, or a sample of them that includes both ends.
        private func numbers(upTo count: Int) -> [Int] {
            if count <= Self.sampleCount { return Array(1...max(count, 1)) }
            let last = Self.sampleCount - 1
            return (0...last).map { 1 + $0 * (count - 1) / max(last, 1) }
        }

        @Test(arguments: TorturedProbe.calls) func failingLibraryCallIsReportedAsError(call: TorturedProbe.Call)
            async throws
        {
            try await withProbe { probe in
                for work in call.works {
                    let calm = try await probe.run(call, work, nth: 0)
                    #expect(calm.faults == [])
                    #expect(calm.callCount > 0 || call.works.count > 1, "\(work) has no call of \(call.name)")
                    guard calm.callCount > 0 else { continue }
                    var count = 0
                    for nth in numbers(upTo: calm.callCount) {
                        let end = try await probe.run(call, work, nth: nth)
                        #expect(end.faults == [])
                        count += 1
                    }
                    print("torture: \(work), \(call.name): \(count) of \(calm.callCount) calls")
                }
            }
        }

        @Test(arguments: ["write", "fsync"]) func slowDiskDoesNotChangeResults(name: String) async throws {
            try await withProbe { probe in
                let call = try #require(TorturedProbe.calls.first { $0.name == name })
                for work in ["file", "batch"] {
                    let end = try await probe.run(call, work, nth: 1, delay: 40_000)
                    #expect(end.faults == [])
                    #expect(end.callCount > 0)
                }
            }
        }
    }
}
