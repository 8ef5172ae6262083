// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The rules of the key of a line, `unique`.
extension RequestLine {
    /// The most bytes of a key. An index of a store has a limit of 2,704 bytes for each.
    package static let longestKey = 1_000

    /// The reason why the line cannot have its key; nil if the key is permitted or missing.
    package var keyProblem: String? {
        guard let unique else { return nil }
        guard (1...Self.longestKey).contains(unique.utf8.count), !unique.utf8.contains(0) else {
            return "a key has 1 to \(Self.longestKey) bytes, and no NUL byte"
        }
        if zip(unique.utf8, unique.utf8.dropFirst()).contains(where: { $0 == 0x24 && $1 == 0x7B }) {  // ${
            return "a key has no references: it is compared when the batch is submitted"
        }
        if hasParts || hasItems { return "a line with \"paginate\", \"each\" or \"stream\" has no key" }
        return nil
    }
}
