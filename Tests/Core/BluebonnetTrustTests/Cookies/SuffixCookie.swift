// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

/// A cookie that a host sets for a domain at or below a public suffix, and the verdict of the package
/// `publicsuffixlist`.
struct SuffixCookie: Codable, Sendable {
    /// The special property of the cookie.
    let kind: String
    /// The host that sets the cookie.
    let host: String
    /// The domain as the server writes it.
    let domain: String
    /// Whether a client may keep the cookie according to the system's list.
    let accepted: Bool
    /// Whether a client may keep the cookie according to the package's list.
    let acceptedByNewest: Bool

    /// The list of Debian's package `publicsuffix`, which libpsl also reads.
    static let systemList = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// Whether both lists are available for comparison.
    static let isAvailable =
        TestProgram.isPythonAvailable && FileManager.default.fileExists(atPath: systemList)

    /// A sample of cookies for every `step`-th rule.
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
