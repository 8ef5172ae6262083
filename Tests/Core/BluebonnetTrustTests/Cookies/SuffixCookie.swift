// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

/// A cookie that a host sets for a domain at or below a public suffix, and what the package `publicsuffixlist` says
/// about it.
struct SuffixCookie: Codable, Sendable {
    /// What is special about it.
    let kind: String
    /// The host that sets it.
    let host: String
    /// As the server writes it.
    let domain: String
    /// Whether a client may keep it, by the list of this system.
    let accepted: Bool
    /// Whether a client may keep it, by the list of the package.
    let acceptedByNewest: Bool

    /// Debian's package `publicsuffix`, which libpsl reads too.
    static let systemList = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// Whether there are lists to compare.
    static let isAvailable =
        TestProgram.isPythonAvailable && FileManager.default.fileExists(atPath: systemList)

    /// A sample of all rules.
    static func sample(every step: Int) async throws -> [SuffixCookie] {
        guard let python = TestProgram.python else { throw FixtureError(description: "there is no Python") }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("cookies.ndjson")
        let end = try await python.with([pythonFile("suffixes.py"), systemList, path, "\(step)"]).run()
        guard end.status == 0 else { throw FixtureError(description: end.output) }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }
}
