// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The form of the file of `--into`.
enum RowForm: String, CaseIterable, Sendable {
    case csv, ndjson, sqlite

    /// The form for a path, by its ending in any case; nil for another ending.
    init?(path: String) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        self.init(rawValue: name[name.index(after: dot)...].lowercased())
    }

    /// The endings, for messages.
    static let endings = allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
}
