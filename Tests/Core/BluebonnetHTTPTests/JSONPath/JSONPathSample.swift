// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

/// Parses documents and evaluates paths for the tests.
enum JSONPathSample {
    static func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Data(text.utf8)) }

    /// The selected values as one JSON array.
    static func selected(_ path: String, in document: String) throws -> JSONValue {
        .array(try JSONPath(path).values(in: value(document)))
    }

    /// The normalized paths of the selected values.
    static func places(_ path: String, in document: String) throws -> [String] {
        try JSONPath(path).nodes(in: value(document)).map(\.path)
    }
}
