// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// A column of a CSV file: the member of a request line that its cells set.
struct CSVColumn: Equatable {
    /// The kind of a column's cells.
    enum Kind: String {
        case text, number, boolean, json
        /// A text, or an array as JSON.
        case texts
        /// A number, or an array as JSON.
        case numbers
        /// `true`, or a text.
        case key
    }

    /// The name in the header row.
    let name: String
    /// The names that lead to the member.
    let path: [String]
    let kind: Kind
}

extension CSVColumn.Kind {
    /// The kind of value that a cell must have, for an error message.
    var expectation: String {
        switch self {
        case .text, .key: "text"
        case .number: "a number"
        case .boolean: "true or false"
        case .json: "JSON"
        case .texts: "text, or an array as JSON"
        case .numbers: "a number, or an array as JSON"
        }
    }
}

extension CSVColumn {
    /// Returns the value of a cell that is not empty; nil if the cell is not of the column's kind.
    func value(of cell: String) -> JSONValue? {
        switch kind {
        case .text: return .string(cell)
        case .key: return FieldSyntax.isSameText(cell, "true") ? .bool(true) : .string(cell)
        case .texts where cell.utf8.first != UInt8(ascii: "["): return .array([.string(cell)])
        case .number, .boolean, .json, .texts, .numbers: break
        }
        guard let value = BodyText.json(cell), isOfKind(value) else { return Optional.none }
        return kind == .numbers && value.array == nil ? .array([value]) : value
    }

    private func isOfKind(_ value: JSONValue) -> Bool {
        switch kind {
        case .number: value.number != nil
        case .boolean: value.bool != nil
        case .numbers: value.number != nil || value.array != nil
        case .texts: value.array != nil
        case .text, .key, .json: true
        }
    }
}

// MARK: - From the header row

extension CSVColumn {
    /// Returns the columns of a header row.
    ///
    /// - Throws: an error if a name is unknown, or if two columns set the same member.
    static func columns(_ header: CSVRow) throws(ConversionError) -> [CSVColumn] {
        var columns: [CSVColumn] = []
        for name in header.fields {
            guard let column = CSVColumn(named: name) else {
                throw ConversionError(line: header.line, unknown(name))
            }
            if let other = columns.first(where: { $0.overlaps(column) }) {
                let names = "\(JSONText.quoted(other.name)) and \(JSONText.quoted(name))"
                throw ConversionError(line: header.line, "the columns \(names) set the same member")
            }
            columns.append(column)
        }
        return columns
    }

    private static func unknown(_ name: String) -> String {
        let nearest = SpellingSuggestion.of(name, among: (Array(fields.keys) + groups.map { $0 + "." }).sorted())
        let hint = nearest.map { ", did you mean \(JSONText.quoted($0))?" } ?? ""
        return "unknown column \(JSONText.quoted(name))\(hint)"
    }

    /// Whether the member of one column contains the member of the other.
    private func overlaps(_ other: CSVColumn) -> Bool {
        zip(path, other.path).allSatisfy { FieldSyntax.isSameText($0, $1) }
    }

    /// The maximum number of names in a path: an object in a line cannot be nested deeper.
    private static let maximumDepth = 500

    private init?(named name: String) {
        if let kind = Self.fields[name] {
            self.init(name: name, path: name.split(separator: ".").map(String.init), kind: kind)
            return
        }
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty, Self.groups.contains(parts[0]) else { return nil }
        switch parts[0] {
        case "header", "headers": self.init(name: name, path: ["headers", parts[1]], kind: .text)
        case "resolve": self.init(name: name, path: parts, kind: .text)
        case let group:
            let (rest, kind) = Self.typed(parts[1])
            let names = group == "json" || group == "plist" ? Self.names(of: rest) : [rest]
            guard !names.contains(""), names.count < Self.maximumDepth else { return nil }
            self.init(name: name, path: [group] + names, kind: kind)
        }
    }

    /// Splits `price:number` into name and kind. Without a kind, the cells are text.
    private static func typed(_ text: String) -> (name: String, kind: Kind) {
        for kind in [Kind.number, .boolean, .json] where text.hasSuffix(":" + kind.rawValue) {
            return (String(text.dropLast(kind.rawValue.count + 1)), kind)
        }
        return (text, .text)
    }

    /// Splits a path at its dots. `\.` is a dot in a name.
    private static func names(of path: String) -> [String] {
        var (names, isEscaped) = ([[UInt8]()], false)
        for byte in path.utf8 {
            if byte == UInt8(ascii: "."), !isEscaped {
                names.append([])
            } else {
                if byte == UInt8(ascii: "."), isEscaped { names[names.count - 1].removeLast() }
                names[names.count - 1].append(byte)
            }
            isEscaped = byte == UInt8(ascii: "\\")
        }
        return names.map { String(decoding: $0, as: UTF8.self) }
    }
}

// MARK: - The names

extension CSVColumn {
    /// The fields that are columns as a whole, and the members of small objects.
    static let fields: [String: Kind] = [
        "id": .text, "url": .text, "method": .text, "headers": .json, "query": .json, "json": .json, "form": .json,
        "plist": .json, "text": .text, "file": .text, "multipart": .json, "after": .texts, "output": .text,
        "expect": .json, "timeout": .number, "connectTimeout": .number, "idleTimeout": .number, "maxBody": .number,
        "redirects": .number, "priority": .text, "credential": .json, "security": .json, "proxy": .text,
        "httpVersion": .text, "unixSocket": .text, "resolve": .json, "retry": .json, "idempotencyKey": .key,
        "unique": .text, "script": .json, "decode": .boolean, "cache": .text,
        "paginate": .json, "each": .json, "extract": .json, "rows": .text, "assert": .json, "until": .json,
        "stream": .text, "maxItems": .number, "remember": .json,
        "expect.status": .numbers, "expect.type": .texts, "expect.sha256": .text,
        "credential.user": .text, "credential.password": .text,
        "security.mode": .text, "security.pins": .texts, "security.ca": .text,
        "security.allowInvalidCertificates": .boolean, "security.validatesHost": .boolean,
        "security.clientCertificate": .text, "security.clientKey": .text,
        "retry.attempts": .number, "retry.maxTime": .number, "retry.statuses": .numbers,
    ]

    /// The beginnings of columns that set a member with any name, before the dot.
    private static let groups = ["header", "headers", "query", "json", "form", "plist", "resolve"]
}
