// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Matches origins against the entries of `NO_PROXY`. Pure: names are not resolved.
struct ProxyExceptions: Sendable, Hashable {
    /// The entries as given.
    let entries: [String]
    private let rules: [Rule]

    /// The origins that a rule matches.
    private enum Target: Hashable {
        case everything
        /// The labels of a domain, in lower case.
        case domain(String, includesItself: Bool)
        case block(AddressBlock)
    }

    /// A parsed entry.
    private struct Rule: Hashable {
        let target: Target
        /// Nil for any port.
        let port: Int?
    }

    init(_ entries: [String]) {
        self.entries = entries
        rules = entries.compactMap(Self.rule)
    }

    /// Returns whether a request to the origin goes through no proxy.
    func contains(_ origin: Origin) -> Bool {
        guard !rules.isEmpty else { return false }
        let host = Self.name(origin.host)
        let address = AddressBlock.address(Self.withoutBrackets(host))
        return rules.contains { rule in
            guard rule.port == nil || rule.port == origin.port else { return false }
            switch rule.target {
            case .everything: return true
            case .block(let block): return address.map(block.contains) ?? false
            case .domain(let name, let includesItself):
                guard address == nil else { return false }
                return host.hasSuffix("." + name) || includesItself && host == name
            }
        }
    }
}

// MARK: - Entries

extension ProxyExceptions {
    private static func rule(_ entry: String) -> Rule? {
        let entry = entry.filter { !$0.isWhitespace }.lowercased()
        if entry == "*" { return Rule(target: .everything, port: nil) }
        if let block = AddressBlock(withoutBrackets(entry)) { return Rule(target: .block(block), port: nil) }
        guard let colon = entry.lastIndex(of: ":") else { return domain(entry).map { Rule(target: $0, port: nil) } }
        let digits = entry[entry.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), (1...65535).contains(port)
        else { return nil }
        let host = String(entry[..<colon])
        if host == "*" { return Rule(target: .everything, port: port) }
        if let block = AddressBlock(withoutBrackets(host)) { return Rule(target: .block(block), port: port) }
        return domain(host).map { Rule(target: $0, port: port) }
    }

    private static func domain(_ text: String) -> Target? {
        let isBelow = text.hasPrefix("*.")
        let bare = isBelow ? text.dropFirst(2) : text.hasPrefix(".") ? text.dropFirst() : text[...]
        let name = name(String(bare))
        guard !name.isEmpty, !name.contains(where: { "*/:[]".contains($0) }) else { return nil }
        return .domain(name, includesItself: !isBelow)
    }

    /// Returns a name without a trailing dot.
    private static func name(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

    private static func withoutBrackets(_ text: String) -> String {
        text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }
}

/// A block of IPv4 or IPv6 addresses (CIDR, RFC 4632 and RFC 4291, 2.3). A single address is a block of one.
struct AddressBlock: Sendable, Hashable {
    private let bytes: [UInt8]
    private let bitCount: Int

    /// Parses `192.0.2.0/24`, `2001:db8::/32` or an address; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let written = IPAddress(String(parts[0])) else { return nil }
        bytes = Self.bytes(of: written)
        guard parts.count == 2 else {
            bitCount = bytes.count * 8
            return
        }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(parts[1]),
            count <= written.bytes.count * 8
        else { return nil }
        let excess = (written.bytes.count - bytes.count) * 8  // for an IPv4-mapped IPv6 address
        guard count >= excess else { return nil }
        bitCount = count - excess
    }

    /// Returns the address of a host without its zone; nil if the host is a name. An IPv4 address may have any form
    /// that libcurl and the C library accept.
    static func address(_ text: String) -> [UInt8]? { IPAddress(text).map(bytes) ?? looseIPv4(text) }

    /// Parses the forms that inet_aton accepts: one to four numbers, each decimal, octal (`0…`) or hexadecimal (`0x…`).
    /// The last number fills the remaining bytes.
    private static func looseIPv4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        let numbers = parts.compactMap(number)
        guard numbers.count == parts.count, let last = numbers.last else { return nil }
        let first = numbers.dropLast()
        guard first.allSatisfy({ $0 <= 0xFF }), last < 1 << (8 * (4 - first.count)) else { return nil }
        let rest = (0..<(4 - first.count)).reversed().map { UInt8(truncatingIfNeeded: last >> ($0 * 8)) }
        return first.map { UInt8($0) } + rest
    }

    private static func number(_ text: Substring) -> UInt64? {
        let text = text.lowercased()
        let (digits, radix) =
            if text.hasPrefix("0x") { (text.dropFirst(2), 16) } else { (text[...], text.hasPrefix("0") ? 8 : 10) }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else { return nil }  // no sign
        return UInt64(digits, radix: radix)
    }

    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        let (whole, rest) = (bitCount / 8, bitCount % 8)
        guard address.prefix(whole) == bytes.prefix(whole) else { return false }
        return rest == 0 || (address[whole] ^ bytes[whole]) >> (8 - rest) == 0
    }

    /// Returns the bytes of an address. An IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2) counts as the IPv4 address.
    private static func bytes(of address: IPAddress) -> [UInt8] {
        let bytes = address.bytes
        let isMapped = bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }
}
