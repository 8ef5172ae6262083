// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// An error of a journal: it cannot be used, or can no longer be used.
public struct JournalError: Error, Sendable, Hashable {
    /// The kind of an error. The set is open, so that a new code breaks no program.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The journal belongs to other lines, or to the same lines with options that change their meaning.
        public static let anotherBatch = Code(rawValue: "anotherBatch")
        /// Another run has the journal open.
        public static let inUse = Code(rawValue: "inUse")
        /// The file is not a journal.
        public static let notAJournal = Code(rawValue: "notAJournal")
        /// A newer version of the library made the journal.
        public static let newerVersion = Code(rawValue: "newerVersion")
        /// The journal's disk is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The journal is not writable.
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
    /// Details from the underlying store, for a bug report; nil without details.
    public let underlying: String?

    /// Creates an error. Custom stores need this initializer.
    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        (self.code, self.message, self.underlying) = (code, message, underlying)
    }
}

extension JournalError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { message }

    /// The message, and the details from the underlying store.
    public var description: String { underlying.map { "\(message) (\($0))" } ?? message }
}
