// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Why the command does not do what it was asked to.
enum CommandError: Error, Equatable {
    /// A file or a descriptor cannot be used; one sentence.
    case unusable(String)
    /// Request lines are wrong.
    case badLines([RequestLineError])

    /// The text for people: one line for each thing that is wrong.
    var message: String {
        switch self {
        case .unusable(let sentence): "Error: \(sentence)"
        case .badLines(let errors): errors.map(\.description).joined(separator: "\n")
        }
    }
}
