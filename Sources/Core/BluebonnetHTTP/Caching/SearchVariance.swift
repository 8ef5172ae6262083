// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Which parts of a query have no influence on a response: the field `No-Vary-Search`
/// (draft-ietf-httpbis-no-vary-search).
package struct SearchVariance: Sendable, Hashable {
    private enum Ignored: Hashable {
        case listed(Set<String>)
        case allExcept(Set<String>)
    }

    private let ignored: Ignored
    private let ordersKeys: Bool

    /// Parses the lines of the field. Nil if each part of a query counts: without the field, or if it is invalid.
    init?(_ lines: [String]) {
        guard !lines.isEmpty, let members = StructuredField.dictionary(lines) else { return nil }
        guard let order = Self.boolean(members["key-order"]), let ignored = Self.ignored(members) else { return nil }
        (ordersKeys, self.ignored) = (!order, ignored)
        if !order, ignored == .listed([]) { return nil }
    }

    /// Returns false for a missing member, and nil for a member of another type.
    private static func boolean(_ member: StructuredField.Member?) -> Bool? {
        guard let member else { return false }
        return member.boolean
    }

    private static func ignored(_ members: [String: StructuredField.Member]) -> Ignored? {
        let (parameters, except) = (members["params"], members["except"])
        if let except {
            guard parameters?.boolean == true, let names = except.innerStrings else { return nil }
            return .allExcept(keys(names))
        }
        guard let parameters else { return .listed([]) }
        if let ignoresAll = parameters.boolean { return ignoresAll ? .allExcept([]) : .listed([]) }
        return parameters.innerStrings.map { .listed(keys($0)) }
    }

    private static func keys(_ names: [String]) -> Set<String> { Set(names.map { decoded($0[...].utf8) }) }

    /// Returns whether two URLs differ only in parts without influence.
    func areEquivalent(_ first: CacheKey, _ second: CacheKey) -> Bool {
        if first == second { return true }
        guard FieldSyntax.isSameText(first.withoutQuery, second.withoutQuery) else { return false }
        return pairs(first.query).elementsEqual(pairs(second.query)) { $0.key == $1.key && $0.value == $1.value }
    }

    private typealias Pair = (key: ByteString, value: ByteString)

    /// Returns the pairs of a query that count (application/x-www-form-urlencoded).
    private func pairs(_ query: Substring?) -> [Pair] {
        guard let query else { return [] }
        let pairs = query.utf8.split(separator: UInt8(ascii: "&")).compactMap { text -> Pair? in
            let key = text.prefix { $0 != UInt8(ascii: "=") }
            let name = Self.decoded(key)
            return counts(name) ? (ByteString(name), ByteString(Self.decoded(text[key.endIndex...].dropFirst()))) : nil
        }
        guard !ordersKeys else { return pairs }
        return pairs.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(\.element)
    }

    private func counts(_ key: String) -> Bool {
        switch ignored {
        case .listed(let keys): !keys.contains(key)
        case .allExcept(let keys): keys.contains(key)
        }
    }

    /// Decodes escapes. A "%" that does not begin an escape is kept.
    private static func decoded(_ text: Substring.UTF8View) -> String {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(Substring(text))
        }
        var (bytes, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            let escape = [UInt8(ascii: "%")] + rest.prefix(2)
            if byte == UInt8(ascii: "%"), escape.count == 3, let decoded = PercentText.bytes(escape) {
                bytes += decoded
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
