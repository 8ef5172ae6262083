// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// A body as text, with its `Content-Type`, as a field of a request line.
struct BodyText {
    static let (jsonType, formType) = ("application/json", "application/x-www-form-urlencoded")
    static let textType = "text/plain; charset=utf-8"

    let body: RequestLine.Body
    /// The `Content-Type` that the line has to set; nil if it has the body's own.
    let contentType: String?

    /// Sets the body and the field `Content-Type` of a line. A field that is already right keeps its spelling.
    func apply(to line: inout RequestLine) {
        line.body = body
        if line.headers["Content-Type"] != contentType { line.headers["Content-Type"] = contentType }
    }

    /// Finds the field for a body. JSON and forms become values, if these mean the same; other bodies stay text.
    init(_ text: String, type: String) {
        switch type.lowercasedASCII {
        case Self.jsonType: (body, contentType) = Self.json(text).map { (.json($0), nil) } ?? (.text(text), type)
        case Self.formType:
            (body, contentType) = FormText.members(text).map { (.form($0), nil) } ?? (.text(text), type)
        case Self.textType: (body, contentType) = (.text(text), nil)
        default: (body, contentType) = (.text(text), type)
        }
    }

    /// Returns the value of a JSON text; nil for other text, and if an object repeats a name.
    static func json(_ text: String) -> JSONValue? {
        let parsed = Array(text.utf8).withUnsafeBytes { bytes in try? JSONParser.parse(bytes) }
        guard let parsed, !parsed.hasRepeatedName else { return Optional.none }  // nil would be a JSON value
        return parsed.value
    }
}
