// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    @Suite struct ProcessLimitTests {
        private static let lines = (0..<200).map { #"{"id":"\#($0)","url":"\#($0)"}"# }
        private static let options = ["--concurrency", "1000", "--per-origin", "1000"]

        @Test func lowFileLimitReducesConcurrencyWithAMessage() async throws {
            try await CommandFixture.with { fixture in
                let program = ["/usr/bin/prlimit", "--nofile=64:64"]
                let end = try await fixture.start(by: program, [fixture.file(Self.lines)] + Self.options).end()
                #expect(end.status == 0)
                #expect(try end.results.filter { $0.outcome == .success }.count == 200)
                let message =
                    "--concurrency 1000: only 6 at once, because the process can have 64 open files (ulimit -n)\n"
                #expect(end.errors.hasPrefix(message))
            }
        }

        @Test func softLimitOfFilesIsRaised() async throws {
            try await CommandFixture.with { fixture in
                let program = ["/usr/bin/prlimit", "--nofile=64:8192"]
                let end = try await fixture.start(by: program, [fixture.file(Self.lines)] + Self.options).end()
                #expect(end.status == 0)
                #expect(end.errors.hasPrefix("200 requests in "))
            }
        }

        /// The limit does not apply to root, so the command runs as another user.
        @Test(.enabled(if: getuid() == 0)) func runThatCannotStartItsThreadsEndsWithAMessage() async throws {
            try await CommandFixture.with { fixture in
                let user = ["/usr/bin/setpriv", "--reuid=54321", "--clear-groups"]
                let program = ["/usr/bin/prlimit", "--nproc=5:5"] + user
                let end = try await fixture.start(by: program, []).end()
                #expect(end.status == 2)
                #expect(end.errors.hasPrefix("Error: cannot start 12 threads, only "))
                #expect(end.errors.hasSuffix("; raise the limit of processes and threads (ulimit -u)\n"))
            }
        }

        @Test(arguments: [(limit: 4, count: 1), (40, 1), (47, 1), (48, 2), (140, 25), (100_000, 1000), (.max, 1000)])
        func concurrencyFitsTheDescriptorLimit(limit: Int, count: Int) {
            #expect(ProcessLimits.concurrency(1000, descriptorLimit: limit) == count)
        }
    }
}
