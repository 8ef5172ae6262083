// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How a file starts for a new body.
package enum FileInitialState: Sendable {
    /// The file has no record, and keeps its name if it has one.
    case keepingName
    /// The file has its name, and the record if the rest of the body can be requested later.
    case named(PartialRecord?)
}

extension PartialFile {
    /// Whether there is work before the first byte of a body. A new file without a name needs none.
    func needsWork(for start: FileInitialState) -> Bool {
        if case .named = start { return true }
        return mayHaveBytes || mayHaveRecord
    }

    /// Truncates the file, and sets its name and record. On the file's queue: may block.
    func startOver(_ start: FileInitialState) throws(NetworkingError) {
        try truncate()
        guard case .named(let record) = start else { return removeRecord() }
        try giveName()
        if let record { try setRecord(record) } else { removeRecord() }
    }
}
