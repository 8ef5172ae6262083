// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides whether a server is trusted: whose word counts, which certificates or keys are pinned, whether the host has
/// to be named. A value; OpenSSL only tells it what it found.
///
/// ```swift
/// let pins = try PinSet(keys: ["sha256/…"], backupKeys: ["sha256/…"])
/// manager.securityPolicy = try SecurityPolicy(pinningMode: .publicKey, pins: pins)
/// ```
///
/// It is asked at every handshake of every hop, and connections that were made under it are used under no other. A
/// policy that contradicts itself cannot be made.
public struct SecurityPolicy: Sendable, Hashable {
    /// What is compared with the pins. Default `none`.
    public let pinningMode: PinningMode
    /// The pinned certificates and keys; one match is enough. Default none.
    public let pins: PinSet
    /// Whether certificates that no trusted authority vouches for are accepted: with pins, the pins alone vouch. In
    /// mode `publicKey` dates do not count then either. Default false.
    public let allowInvalidCertificates: Bool
    /// Whether the certificate must name the host, in every mode. Default true.
    public let validatesDomainName: Bool
    /// A PEM file of the authorities to trust instead of the system's (CURLOPT_CAINFO); nil is the system's.
    public let certificateAuthorityFile: String?
    /// Pins on trial. Default nil.
    public let reportOnlyPins: ReportOnlyPins?
    /// The policies for each host, when this one is made of several; what the other properties say does not count then.
    public let table: SecurityPolicyTable?

    /// The system's store, host names checked.
    public static let `default` = SecurityPolicy(
        unchecked: .none, pins: .empty, allowInvalidCertificates: false, validatesDomainName: true)

    /// Makes a policy.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when it contradicts itself: pins without a mode that
    ///   compares them, or such a mode without pins; digests of keys where certificates are compared; invalid
    ///   certificates accepted and the host validated, without a pin: a name in an invalid one proves nothing.
    public init(
        pinningMode: PinningMode = .none, pins: PinSet = .empty, allowInvalidCertificates: Bool = false,
        validatesDomainName: Bool = true, certificateAuthorityFile: String? = nil,
        reportOnlyPins: ReportOnlyPins? = nil
    ) throws(NetworkingError) {
        self.init(
            unchecked: pinningMode, pins: pins, allowInvalidCertificates: allowInvalidCertificates,
            validatesDomainName: validatesDomainName, certificateAuthorityFile: certificateAuthorityFile,
            reportOnlyPins: reportOnlyPins)
        try check()
    }

    /// Makes a policy that is another one for each host. It may be used wherever a policy may.
    public init(table: SecurityPolicyTable) {
        self.init(
            unchecked: .none, pins: .empty, allowInvalidCertificates: false, validatesDomainName: true, table: table)
    }

    /// For one that is known to make sense, or whose decision is to be looked at although it does not.
    init(
        unchecked pinningMode: PinningMode, pins: PinSet, allowInvalidCertificates: Bool, validatesDomainName: Bool,
        certificateAuthorityFile: String? = nil, reportOnlyPins: ReportOnlyPins? = nil,
        table: SecurityPolicyTable? = nil
    ) {
        self.pinningMode = pinningMode
        self.pins = pins
        self.allowInvalidCertificates = allowInvalidCertificates
        self.validatesDomainName = validatesDomainName
        self.certificateAuthorityFile = certificateAuthorityFile
        self.reportOnlyPins = reportOnlyPins
        self.table = table
    }

    private func check() throws(NetworkingError) {
        guard let contradiction else { return }
        throw NetworkingError(.invalidSecurityPolicy, contradiction)
    }

    private var contradiction: String? {
        switch pinningMode {
        case .none where !pins.isEmpty:
            return
                "\(pins.count) pins are set, but nothing is compared with them: choose the mode publicKey or certificate"
        case .none where allowInvalidCertificates && validatesDomainName:
            return
                "accepting invalid certificates contradicts validating the host: a name in a certificate that nobody "
                + "vouches for proves nothing; turn host validation off too, name the authority to trust, or pin"
        case .publicKey where pins.isEmpty, .certificate where pins.isEmpty:
            return "the mode \(pinningMode.rawValue) needs at least one pin: without one every server is refused"
        case .certificate where !pins.keys.isEmpty || !pins.backupKeys.isEmpty:
            return "digests of keys are pinned, but the mode certificate compares whole certificates: use publicKey"
        case .none, .publicKey, .certificate: return nil
        }
    }

    /// Whether each connection needs a handshake of its own: a TLS session that is resumed shows no certificate to
    /// compare with a pin.
    var needsFullHandshake: Bool { pinningMode != .none || reportOnlyPins != nil }
}
