// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// An error that prevents the command from doing its work.
enum CommandError: Error, Equatable {
    /// A file, a descriptor or a service cannot be used. The value is one sentence.
    case unusable(String)
    /// A file to convert is invalid. The value is the place and one sentence.
    case badInput(String)
    /// Request lines are invalid.
    case badLines([RequestLineError])

    /// The message for people, with one line for each error.
    var message: String {
        switch self {
        case .unusable(let sentence): "Error: \(sentence)"
        case .badInput(let sentence): sentence
        case .badLines(let errors): errors.map(\.description).joined(separator: "\n")
        }
    }
}
