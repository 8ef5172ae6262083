// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The batch to which a journal belongs.
public struct JournalBatch: Sendable, Hashable, Codable {
    /// The SHA-256 digest of the lines and of the options that change their meaning, in hexadecimal digits. If the
    /// lines are not known beforehand, the digest covers only the options.
    public var digest: String
    /// The number of lines; nil when it is not known beforehand.
    public var lineCount: Int?
    /// A random text from which the automatic `Idempotency-Key` of each line is made, so that the key is the same
    /// whenever the line is sent.
    public var keySeed: String
    /// When the journal was begun, in whole seconds.
    public var created: Date

    /// Creates a batch that begins now, with a new seed.
    public init(digest: String, lineCount: Int?) {
        self.init(
            digest: digest, lineCount: lineCount, keySeed: UUID().uuidString.lowercased(),
            created: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
    }

    /// Creates a batch from stored values.
    public init(digest: String, lineCount: Int?, keySeed: String, created: Date) {
        (self.digest, self.lineCount, self.keySeed, self.created) = (digest, lineCount, keySeed, created)
    }

    /// Returns the automatic `Idempotency-Key` of the line at a position.
    package func key(at position: Int) -> String { key(of: "\(position)") }

    /// Returns the automatic `Idempotency-Key` of a page or an element.
    ///
    /// - Parameter position: the position of its line.
    package func key(ofPart id: String, of position: Int) -> String { key(of: "\(position)/\(id)") }

    private func key(of operation: String) -> String {
        let digest = BatchDigest.hexadecimal("\(keySeed)/\(operation)")
        let parts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map { start, count in
            digest.dropFirst(start).prefix(count)
        }
        return parts.joined(separator: "-")
    }
}
