// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Policies by host: the most exact pattern decides, at each hop of a request by that hop's host. A value; make a
/// `SecurityPolicy` of it to use it.
///
/// ```swift
/// let table = try SecurityPolicyTable(["api.example.com": pinned, "*.example.com": .default], otherHosts: .refuse)
/// manager.securityPolicy = SecurityPolicy(table: table)
/// ```
public struct SecurityPolicyTable: Sendable, Hashable {
    /// What happens with a host that matches no pattern.
    public indirect enum OtherHosts: Sendable, Hashable {
        /// No request is sent to the host, by https or http: the operation fails with `serverNotTrusted`.
        case refuse
        /// This policy decides.
        case use(SecurityPolicy)
    }

    /// The policies by their patterns, in lower case.
    public let policies: [String: SecurityPolicy]
    /// What happens with hosts that match no pattern.
    public let otherHosts: OtherHosts

    /// Makes a table.
    ///
    /// - Parameter policies: by pattern: a host name or an IP address, or `*.` and a name, which matches every name
    ///   below that name, but not the name itself. International names in their `xn--` form.
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when there is no pattern, when a pattern is invalid or
    ///   given twice, or when a policy is itself a table.
    public init(_ policies: [String: SecurityPolicy], otherHosts: OtherHosts) throws(NetworkingError) {
        guard !policies.isEmpty else {
            throw NetworkingError(.invalidSecurityPolicy, "a table of security policies has no host in it")
        }
        var table: [String: SecurityPolicy] = [:]
        for (pattern, policy) in policies {
            try Self.check(policy)
            let key = try Self.key(of: pattern)
            guard table.updateValue(policy, forKey: key) == nil else {
                throw NetworkingError(.invalidSecurityPolicy, "\(key) has two security policies")
            }
        }
        if case .use(let policy) = otherHosts { try Self.check(policy) }
        self.policies = table
        self.otherHosts = otherHosts
    }

    private static func check(_ policy: SecurityPolicy) throws(NetworkingError) {
        guard policy.table == nil else {
            throw NetworkingError(.invalidSecurityPolicy, "a table of security policies has another table in it")
        }
    }

    private static func key(of pattern: String) throws(NetworkingError) -> String {
        let isWildcard = pattern.hasPrefix("*.")
        guard let name = bareName(isWildcard ? String(pattern.dropFirst(2)) : pattern) else {
            throw NetworkingError(
                .invalidSecurityPolicy,
                "\"\(pattern)\" is no pattern for hosts: write a name, an address, or *. and a name, in ASCII")
        }
        return isWildcard ? "*." + name : name
    }

    /// The name in lower case, without brackets and the dot at the end; nil when it is none that can be compared.
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
    /// The policy for a host; nil when the host is refused. A host whose name cannot be compared with the patterns is
    /// refused.
    public func policy(forHost host: String) -> SecurityPolicy? {
        guard let name = Self.bareName(host) else { return nil }
        if let policy = policies[name] { return policy }
        var rest = Substring(name)
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let policy = policies["*." + rest] { return policy }
        }
        guard case .use(let policy) = otherHosts else { return nil }
        return policy
    }
}

extension SecurityPolicy {
    /// The policy that decides on a host: this policy, unless it is a table; nil when the table refuses the host.
    public func policy(forHost host: String) -> SecurityPolicy? {
        guard let table else { return self }
        return table.policy(forHost: host)
    }

    /// Why nothing may be sent to a host; nil when something may.
    func refusal(ofHost host: String) -> NetworkingError? {
        guard policy(forHost: host) == nil else { return nil }
        return NetworkingError(
            .serverNotTrusted, "no security policy of the table is for \(host), and other hosts are refused")
    }

    /// The files of authorities that the policy, or any of its table, names.
    var authorityFiles: [String] {
        guard let table else { return certificateAuthorityFile.map { [$0] } ?? [] }
        var policies = table.policies.values.map { $0 }
        if case .use(let policy) = table.otherHosts { policies.append(policy) }
        return policies.compactMap(\.certificateAuthorityFile)
    }
}
