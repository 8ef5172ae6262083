// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

extension ProcessTests {
    /// The candidates for the word at the cursor, which completion scripts ask the command for.
    @Suite struct CompletionTests {
        /// Asks for the candidates for the last word of a command line, as the script for bash does.
        private func candidates(_ words: [String]) async throws -> CommandProcess.End {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let request = [
                "---completion", words[1], "--", "positional@0", "\(words.count - 1)", "\(words.last?.count ?? 0)",
            ]
            return try await CommandProcess(request + words, in: folder).end()
        }

        @Test(
            .enabled(if: PostgreSQLServer.isAvailable),
            arguments: ["status", "results", "pause", "resume", "cancel", "retry-failed", "remove"])
        func namesOfBatchesInStoreAreCandidates(command: String) async throws {
            let postgres = try await PostgreSQLServer.shared()
            let store = postgres.unixURL(database: try await postgres.createDatabase())
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let lines = try folder.write("lines.ndjson", #"{"url":"http://127.0.0.1/"}"#)
            for name in ["nightly", "night shift", "morning"] {
                let submit = ["submit", lines, "--name", name, "--store", store]
                #expect(try await CommandProcess(submit, in: folder).end().status == 0)
            }
            let some = try await candidates(["bluebonnet", command, "--store", store, "night"])
            #expect(some.output == "nightly\nnight shift\n")
            #expect(some.errors.isEmpty && some.status == 0)
            let all = try await candidates(["bluebonnet", command, "--store=" + store, ""])
            #expect(all.output == "nightly\nnight shift\nmorning\n")
        }

        @Test func unreachableStoreHasNoCandidatesAndNoError() async throws {
            let store = "postgresql://fleet@127.0.0.1:\(try LoopbackPort.unused())/fleet"
            let end = try await candidates(["bluebonnet", "status", "--store", store, ""])
            #expect(end.output.filter { !$0.isNewline }.isEmpty && end.errors.isEmpty)
            #expect(end.status == 0)
        }

        /// The shell waits for the command.
        @Test func storeThatNeverAnswersEndsWithoutCandidates() async throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutableBytes(of: &address) { bytes in
                let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                return bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
            #expect(isListening)
            let store = "postgresql://fleet@127.0.0.1:\(UInt16(bigEndian: address.sin_port))/fleet"
            let end = try await candidates(["bluebonnet", "status", "--store", store, ""])
            #expect(end.output.filter { !$0.isNewline }.isEmpty && end.status == 0)
        }

        @Test(arguments: ["bash", "zsh", "fish"])
        func completionScriptAsksForNamesOfBatches(shell: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess(["--generate-completion-script", shell], in: folder).end()
            #expect(end.status == 0)
            #expect(end.output.contains("---completion"))
            #expect(end.output.contains("retry-failed"))
        }
    }
}
