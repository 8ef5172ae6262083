// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
public import Foundation

/// An error in one line of a batch.
public struct RequestLineError: Error, Sendable, Hashable {
    /// The number of the line in its file, from 1; nil for a line without a file.
    public var line: Int?
    /// The field with the error, such as `headers.Accept` or `script[1].do`; nil if the error concerns the whole line.
    public var field: String?
    /// The message, without the line and the field.
    public var message: String

    /// Makes an error. Omit the parts that are not known.
    public init(line: Int? = nil, field: String? = nil, message: String) {
        self.line = line
        self.field = field
        self.message = message
    }

    init(at path: FieldPath, _ message: String) {
        self.init(field: path.isEmpty ? nil : path.description, message: message)
    }

    /// Returns the error with the number of its line.
    func numbered(_ number: Int) -> RequestLineError {
        RequestLineError(line: number, field: field, message: message)
    }
}

extension RequestLineError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    /// The position and the message: `line 12, field "timeout": expected a number of seconds, found a string`.
    public var description: String {
        let place = [line.map { "line \($0)" }, field.map { "field \(JSONText.quoted($0))" }].compactMap(\.self)
        return place.isEmpty ? message : "\(place.joined(separator: ", ")): \(message)"
    }
}

/// The errors of a batch, in the order of the lines. Each check reports at most one error per line.
public struct RequestLineErrors: Error, Sendable, Hashable {
    /// The errors; never empty.
    public let errors: [RequestLineError]

    /// Sorts the errors by line. Returns nil for an empty array.
    init?(_ errors: [RequestLineError]) {
        guard !errors.isEmpty else { return nil }
        self.errors = errors.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }
}

extension RequestLineErrors: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    /// The errors, one per line of text.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}
