// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension ProcessTests {
    /// The candidates that shells ask the command for.
    @Suite struct CompletionTests {
        private func end(_ arguments: [String], in folder: TemporaryFolder) async throws -> CommandProcess.End {
            try await CommandProcess(arguments, in: folder).end()
        }

        /// The candidates for the last word of a command line.
        private func candidates(_ words: [String], in folder: TemporaryFolder) async throws -> CommandProcess.End {
            let argument = words.count > 2 && words[1] == "status" ? "positional@0" : "positional@0"
            let request = ["---completion", words[1], "--", argument, "\(words.count - 1)", "\(words.last?.count ?? 0)"]
            return try await end(request + words, in: folder)
        }
    }
}
