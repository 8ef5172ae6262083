// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Why a journal cannot be used, or not any more.
public struct JournalError: Error, Sendable, Hashable {
    /// The kind of the error: an open set, so that a new code breaks no program.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The journal is of other lines, or of the same lines with options that change what they mean.
        public static let anotherBatch = Code(rawValue: "anotherBatch")
        /// Another run has the journal open.
        public static let inUse = Code(rawValue: "inUse")
        /// The file is something else.
        public static let notAJournal = Code(rawValue: "notAJournal")
        /// A newer version of the library made the journal.
        public static let newerVersion = Code(rawValue: "newerVersion")
        /// The journal's disk is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The journal may not be written.
        public static let notWritable = Code(rawValue: "notWritable")
        /// The contents of the journal cannot be read.
        public static let damaged = Code(rawValue: "damaged")
        /// The journal cannot be opened, read or written for another reason.
        public static let unavailable = Code(rawValue: "unavailable")
    }

    /// The kind of the error.
    public let code: Code
    /// One sentence: what happened, to which journal.
    public let message: String
    /// What the store below says, for a bug report; nil when there is nothing of that.
    public let underlying: String?

    /// Makes an error; stores of other kinds need it.
    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        (self.code, self.message, self.underlying) = (code, message, underlying)
    }
}

extension JournalError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { message }

    /// The sentence, and what the store below says.
    public var description: String { underlying.map { "\(message) (\($0))" } ?? message }
}
