// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

extension RequestLine.Security {
    /// Overrides the batch's options with the line's.
    ///
    /// - Throws: `invalidSecurityPolicy`, if the policy cannot be used. The operation then fails with this error, and
    ///   nothing is sent.
    func apply(to options: inout TransferOptions) throws(NetworkingError) {
        if namesPolicy { options.securityPolicy = try policy(over: options.securityPolicy) }
        if let identity = try clientIdentity { options.tls.clientIdentity = identity }
    }

    /// Whether the line sets any trust option. If not, the batch's policy applies unchanged, with its policies by
    /// host.
    private var namesPolicy: Bool {
        mode != nil || pins != nil || ca != nil || allowInvalidCertificates != nil || validatesHost != nil
    }

    /// Returns the batch's policy with the line's options over it: the policy for all hosts, and each policy by host.
    private func policy(over batch: SecurityPolicy) throws(NetworkingError) -> SecurityPolicy {
        var hosts: [String: SecurityPolicy] = [:]
        for (pattern, policy) in batch.hosts.policies { hosts[pattern] = try self.policy(over: policy) }
        try Self.check(ca, "ca")
        for (index, path) in (pins ?? []).enumerated() { try Self.check(path, "pins[\(index)]") }
        let pinned = try pins.map { paths throws(NetworkingError) in try PinSet(certificateFiles: paths) }
        return try SecurityPolicy(
            pinningMode: mode?.pinningMode ?? batch.pinningMode,
            pins: pinned ?? (mode == Mode.none ? .empty : batch.pins),
            allowInvalidCertificates: allowInvalidCertificates ?? batch.allowInvalidCertificates,
            validatesDomainName: validatesHost ?? batch.validatesDomainName,
            authorities: ca.map { .file($0) } ?? batch.authorities, reportOnlyPins: batch.reportOnlyPins,
            hosts: try SecurityPolicyTable(hosts))
    }

    private var clientIdentity: ClientIdentity? {
        get throws(NetworkingError) {
            try Self.check(clientCertificate, "clientCertificate")
            try Self.check(clientKey, "clientKey")
            if let clientCertificate { return .files(certificate: clientCertificate, key: clientKey) }
            guard clientKey == nil else {
                throw NetworkingError(
                    .invalidSecurityPolicy,
                    "\"security.clientKey\" requires \"security.clientCertificate\"")
            }
            return nil
        }
    }

    private static func check(_ path: String?, _ name: String) throws(NetworkingError) {
        guard let path, path.isEmpty || path.utf8.contains(0) else { return }
        throw NetworkingError(
            .invalidSecurityPolicy, "the path in \"security.\(name)\" is empty or contains a NUL byte")
    }
}

extension RequestLine.Security.Mode {
    fileprivate var pinningMode: PinningMode {
        switch self {
        case .none: .none
        case .publicKey: .publicKey
        case .certificate: .certificate
        }
    }
}
