// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Policies by host; the most specific pattern decides. A value type, and a part of a `SecurityPolicy`, which decides
/// on the other hosts.
///
/// ```swift
/// manager.securityPolicy.hosts = try SecurityPolicyTable(["api.example.com": pinned, "*.example.com": .default])
/// ```
public struct SecurityPolicyTable: Sendable, Hashable {
    /// The empty table.
    public static let empty = SecurityPolicyTable(checked: [:])

    /// The policies by their patterns, in lower case.
    public let policies: [String: SecurityPolicy]

    /// Makes a table.
    ///
    /// - Parameter policies: by pattern: a host name or an IP address, or `*.` and a name, which matches every name
    ///   below that name, but not the name itself. International names in their `xn--` form.
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if a pattern is invalid or given twice, or if a policy
    ///   contradicts itself or has its own table.
    public init(_ policies: [String: SecurityPolicy]) throws(NetworkingError) {
        var table: [String: SecurityPolicy] = [:]
        for (pattern, policy) in policies {
            let key = try Self.key(of: pattern)
            try Self.check(policy, key)
            guard table.updateValue(policy, forKey: key) == nil else {
                throw NetworkingError(.invalidSecurityPolicy, "\(key) has two security policies")
            }
        }
        self.init(checked: table)
    }

    private init(checked policies: [String: SecurityPolicy]) { self.policies = policies }

    /// Whether the table is empty.
    public var isEmpty: Bool { policies.isEmpty }

    private static func check(_ policy: SecurityPolicy, _ key: String) throws(NetworkingError) {
        guard policy.hosts.isEmpty else {
            throw NetworkingError(
                .invalidSecurityPolicy, "the policy for \(key) contains another table; add its hosts to this table")
        }
        do throws(NetworkingError) {
            try policy.validate()
        } catch {
            throw NetworkingError(.invalidSecurityPolicy, "the policy for \(key) contradicts itself: \(error.message)")
        }
    }

    private static func key(of pattern: String) throws(NetworkingError) -> String {
        let isWildcard = pattern.hasPrefix("*.")
        guard let name = bareName(isWildcard ? String(pattern.dropFirst(2)) : pattern) else {
            throw NetworkingError(
                .invalidSecurityPolicy,
                "\"\(pattern)\" is not a host pattern: write a name, an address, or *. and a name, in ASCII")
        }
        return isWildcard ? "*." + name : name
    }

    /// Returns the name in lower case, without brackets and a trailing dot; nil if the name cannot be compared.
    private static func bareName(_ host: String) -> String? {
        var name = host.lowercased()
        if name.hasPrefix("[") && name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.contains(":") { return IPAddress(name)?.withoutZone.description }
        if name.hasSuffix(".") { name.removeLast() }
        let isPlain = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "-._".utf8.contains(byte)
        }
        return isPlain && !name.isEmpty && !name.hasPrefix(".") ? name : nil
    }
}

extension SecurityPolicyTable {
    /// Returns the policy of the most specific pattern for a host; nil if no pattern matches the host.
    public func policy(forHost host: String) -> SecurityPolicy? {
        guard let name = Self.bareName(host) else { return nil }
        if let policy = policies[name] { return policy }
        var rest = Substring(name)
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let policy = policies["*." + rest] { return policy }
        }
        return nil
    }

    /// Whether a host's name can be compared with patterns. A host that cannot be compared is refused, because a
    /// pattern may be meant for it.
    fileprivate static func canCompare(_ host: String) -> Bool { bareName(host) != nil }
}

extension SecurityPolicy {
    /// Returns the policy that decides on a host, without a table: the policy from `hosts`, or this policy. Returns nil
    /// if the host is refused whatever certificates it presents, also because its name cannot be compared with the
    /// patterns of `hosts`.
    public func policy(forHost host: String) -> SecurityPolicy? {
        guard !hosts.isEmpty else { return trustsNobody ? nil : self }
        guard SecurityPolicyTable.canCompare(host) else { return nil }
        var policy = hosts.policy(forHost: host) ?? self
        policy.hosts = .empty
        return policy.trustsNobody ? nil : policy
    }

    /// Returns why nothing may be sent to a host; nil if requests are allowed.
    package func refusal(ofHost host: String) -> NetworkingError? {
        guard policy(forHost: host) == nil else { return nil }
        return NetworkingError(.serverNotTrusted, "the security policy refuses the host \(host)")
    }
}
