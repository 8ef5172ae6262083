// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How a file begins with a new body.
enum FileStart: Sendable {
    /// Without a record; the file has a name if it had one.
    case keepingName
    /// With its name, and the record of the body where the rest of it could be requested later.
    case named(PartialRecord?)
}

extension PartialFile {
    /// Whether something has to be done before the first byte of a body. Nothing for a new file without a name.
    func needsWork(for start: FileStart) -> Bool {
        if case .named = start { return true }
        return mayHoldBytes || mayHoldRecord
    }

    /// Empties the file, and gives it name and record. On the file's queue: it may block.
    func startOver(_ start: FileStart) throws(NetworkingError) {
        try truncate()
        guard case .named(let record) = start else { return removeRecord() }
        try giveName()
        if let record { try setRecord(record) } else { removeRecord() }
    }
}
