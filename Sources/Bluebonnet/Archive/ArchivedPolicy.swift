// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What an archive keeps of a security policy: all of it, pins as their bytes. A value; it decides nothing.
///
/// The first three fields are those of archives that knew no pins.
struct ArchivedPolicy: Codable, Sendable {
    private let allowInvalidCertificates: Bool
    private let validatesDomainName: Bool
    private let certificateAuthorityFile: String?
    private let pinningMode: PinningMode?
    private let pins: Pins?
    private let reportOnly: ReportOnly?
    private let hosts: [String: ArchivedPolicy]?
    /// For the hosts that no pattern is for: at most one, and without it they are refused. A list, because a value
    /// cannot have another one of its own type in it.
    private let others: [ArchivedPolicy]?

    private struct Pins: Codable, Sendable {
        let certificates: [Data]
        let keys: [String]
        let backupKeys: [String]

        init?(_ pins: PinSet) {
            guard !pins.isEmpty else { return nil }
            certificates = pins.certificates.map(\.der)
            keys = pins.keys.map(\.description)
            backupKeys = pins.backupKeys.map(\.description)
        }

        func pins() throws(NetworkingError) -> PinSet {
            var certificates: [ServerCertificate] = []
            for der in self.certificates { certificates.append(try ServerCertificate(der: der)) }
            let pins = PinSet(certificates: certificates)
            guard !keys.isEmpty || !backupKeys.isEmpty else { return pins }
            return pins.union(try PinSet(keys: keys, backupKeys: backupKeys))
        }
    }

    private struct ReportOnly: Codable, Sendable {
        let pins: Pins
        let expires: Date
    }

    init(_ policy: SecurityPolicy) {
        allowInvalidCertificates = policy.allowInvalidCertificates
        validatesDomainName = policy.validatesDomainName
        certificateAuthorityFile = policy.certificateAuthorityFile
        pinningMode = policy.pinningMode == .none ? nil : policy.pinningMode
        pins = Pins(policy.pins)
        reportOnly = policy.reportOnlyPins.flatMap { reportOnly in
            Pins(reportOnly.pins).map { ReportOnly(pins: $0, expires: reportOnly.expires) }
        }
        hosts = policy.table?.policies.mapValues(ArchivedPolicy.init)
        if case .use(let policy)? = policy.table?.otherHosts {
            others = [ArchivedPolicy(policy)]
        } else {
            others = nil
        }
    }

    /// The policy; checked again, because an archive may come from anywhere.
    func policy() throws(NetworkingError) -> SecurityPolicy {
        if let hosts { return SecurityPolicy(table: try table(hosts)) }
        return try SecurityPolicy(
            pinningMode: pinningMode ?? .none, pins: try pins?.pins() ?? .empty,
            allowInvalidCertificates: allowInvalidCertificates, validatesDomainName: validatesDomainName,
            certificateAuthorityFile: certificateAuthorityFile,
            reportOnlyPins: try reportOnly.map { reportOnly throws(NetworkingError) in
                try ReportOnlyPins(try reportOnly.pins.pins(), expires: reportOnly.expires)
            })
    }

    private func table(_ hosts: [String: ArchivedPolicy]) throws(NetworkingError) -> SecurityPolicyTable {
        var policies: [String: SecurityPolicy] = [:]
        for (host, policy) in hosts { policies[host] = try policy.policy() }
        guard let other = others?.first else { return try SecurityPolicyTable(policies, otherHosts: .refuse) }
        return try SecurityPolicyTable(policies, otherHosts: .use(try other.policy()))
    }
}
