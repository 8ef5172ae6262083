// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// Field lines as received. The collection of the received block must equal a collection of a plain list.
    static let fields = FuzzTarget("fields") { input in
        var block = FieldBlock()
        for line in input.lines {
            do { try line.withUnsafeBytes { try block.append($0) } } catch { continue }
        }
        let arrived = HeaderFields(block.trimmed)
        let list = HeaderFields(block.fields)
        try hold(arrived.fields.isWrittenLike(list.fields), "a block and its list have the same fields")
        try holdSame(arrived, list, "a block and its list are equal")
        try holdSame(arrived.hashValue, list.hashValue, "equal collections have equal hashes")
        try holdSame(arrived.dictionary, list.dictionary, "a block and its list make the same dictionary")
        for field in list { try checkName(field.name, arrived, list) }
        let names = Set(list.map { $0.name.lowercased() })
        try holdSame(list.combined.count, names.count, "combined fields have each name once")
        try holdSame(
            block.hasRepeatedNames || list.count >= 50, names.count < list.count || list.count >= 50, "repeated")
        let coded = try JSONDecoder().decode(HeaderFields.self, from: JSONEncoder().encode(list))
        try hold(coded.fields.isWrittenLike(list.fields), "fields stay when they are coded")
        try checkChanges(list)
        try checkSent(list)
    }

    private static func checkName(_ name: String, _ arrived: HeaderFields, _ list: HeaderFields) throws {
        let values = list.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        for (fields, kind) in [(arrived, "block"), (list, "list")] {
            try holdSame(fields.values(for: name.uppercased()), values, "the values of \(name) in a \(kind)")
            try hold(fields.contains(name: name.lowercased()), "\(name) is in a \(kind)")
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            try holdSame(fields[name], values.joined(separator: separator), "the joined value of \(name) in a \(kind)")
        }
    }

    private static func checkChanges(_ list: HeaderFields) throws {
        guard let first = list.first else { return }
        var changed = list
        changed[first.name.uppercased()] = "new"
        try holdSame(changed.values(for: first.name), ["new"], "a value that is set replaces all")
        changed[first.name] = nil
        try holdSame(changed.contains(name: first.name), false, "a field that is removed is gone")
        let others = list.filter { !$0.hasName(first.name) }
        try hold(changed.fields.isWrittenLike(Array(others)), "other fields stay")
    }

    /// An accepted field cannot end its own line.
    private static func checkSent(_ list: HeaderFields) throws {
        for field in list {
            guard (try? RequestCheck.field(name: field.name, value: field.value)) != nil else { continue }
            try hold(!(field.name + field.value).utf8.contains { $0 < 0x20 && $0 != 9 }, "a control is let out")
        }
        let pairs = list.map { ($0.name, $0.value) }
        guard let sent = try? RequestCheck.fields(pairs, bodyByteCount: nil) else { return }
        try hold(!sent.sent.contains { RequestCheck.isFraming($0.name) }, "framing fields are not sent as they are")
        try hold(sent.declaredBodyByteCount ?? 0 >= 0, "a declared length is not negative")
    }
}
