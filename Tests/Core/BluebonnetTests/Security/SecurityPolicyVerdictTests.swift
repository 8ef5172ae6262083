// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The decision alone, without OpenSSL or a server. The findings are made up. The expected verdicts are
/// AFNetworking's table, with one difference: the host counts in every mode while it is validated.
@Suite(.timeLimit(.minutes(1))) struct SecurityPolicyVerdictTests {
    /// What OpenSSL may have found. `pinned`: the chain contains a pin.
    struct Findings: CustomStringConvertible {
        let system: Bool
        let name: Bool
        let anchored: Bool
        let pinned: Bool

        static let all = (0..<16).map { bits in
            Findings(system: bits & 1 > 0, name: bits & 2 > 0, anchored: bits & 4 > 0, pinned: bits & 8 > 0)
        }

        var description: String { "system \(system), name \(name), anchored \(anchored), pinned \(pinned)" }
    }

    /// A row of the table, with the expected verdict for each finding.
    struct Row: CustomTestStringConvertible {
        let mode: PinningMode
        let allowInvalid: Bool
        let validates: Bool
        let hasHost: Bool
        let pinCount: Int
        let trusts: @Sendable (Findings) -> Bool

        init(
            _ mode: PinningMode, invalid: Bool, validates: Bool, host: Bool, pins: Int,
            _ trusts: @escaping @Sendable (Findings) -> Bool
        ) {
            (self.mode, allowInvalid, self.validates) = (mode, invalid, validates)
            (hasHost, pinCount, self.trusts) = (host, pins, trusts)
        }

        var testDescription: String {
            "\(mode), allowInvalid \(allowInvalid), validates \(validates), host \(hasHost), \(pinCount) pins"
        }
    }

    private static let no: @Sendable (Findings) -> Bool = { _ in false }
    private static let yes: @Sendable (Findings) -> Bool = { _ in true }
    private static let system: @Sendable (Findings) -> Bool = { $0.system }
    private static let systemAndName: @Sendable (Findings) -> Bool = { $0.system && $0.name }

    static let rows: [Row] = noneRows + keyRows + certificateRows

    private static let noneRows = [0, 2].flatMap { pins in
        [
            Row(.none, invalid: false, validates: false, host: false, pins: pins, system),
            Row(.none, invalid: false, validates: false, host: true, pins: pins, system),
            Row(.none, invalid: false, validates: true, host: false, pins: pins, system),
            Row(.none, invalid: false, validates: true, host: true, pins: pins, systemAndName),
            Row(.none, invalid: true, validates: false, host: false, pins: pins, yes),
            Row(.none, invalid: true, validates: false, host: true, pins: pins, yes),
            Row(.none, invalid: true, validates: true, host: false, pins: pins, yes),
            Row(.none, invalid: true, validates: true, host: true, pins: pins, no),
        ]
    }

    private static let keyRows =
        withoutPins(.publicKey)
        + [1, 2].flatMap { pins in
            [
                Row(.publicKey, invalid: false, validates: false, host: true, pins: pins) { $0.system && $0.pinned },
                Row(.publicKey, invalid: false, validates: true, host: false, pins: pins) { $0.system && $0.pinned },
                Row(.publicKey, invalid: false, validates: true, host: true, pins: pins) {
                    $0.system && $0.name && $0.pinned
                },
                Row(.publicKey, invalid: true, validates: false, host: true, pins: pins) {
                    ($0.system || $0.anchored) && $0.pinned
                },
                Row(.publicKey, invalid: true, validates: true, host: false, pins: pins) {
                    ($0.system || $0.anchored) && $0.pinned
                },
                // The difference: AFNetworking does not check the name here.
                Row(.publicKey, invalid: true, validates: true, host: true, pins: pins) {
                    ($0.system || $0.anchored) && $0.pinned && $0.name
                },
            ]
        }

    private static let certificateRows =
        withoutPins(.certificate)
        + [1, 2].flatMap { pins in
            [
                Row(.certificate, invalid: false, validates: false, host: true, pins: pins) {
                    $0.system && $0.anchored && $0.pinned
                },
                Row(.certificate, invalid: false, validates: true, host: false, pins: pins) {
                    $0.system && $0.anchored && $0.pinned
                },
                Row(.certificate, invalid: false, validates: true, host: true, pins: pins) {
                    $0.system && $0.anchored && $0.pinned && $0.name
                },
                Row(.certificate, invalid: true, validates: false, host: true, pins: pins) { $0.anchored && $0.pinned },
                Row(.certificate, invalid: true, validates: true, host: false, pins: pins) { $0.anchored && $0.pinned },
                Row(.certificate, invalid: true, validates: true, host: true, pins: pins) {
                    $0.anchored && $0.pinned && $0.name
                },
            ]
        }

    /// A mode that compares pins, without any pin to compare.
    private static func withoutPins(_ mode: PinningMode) -> [Row] {
        [false, true].flatMap { invalid in
            [(false, true), (true, false), (true, true)].map { validates, host in
                Row(mode, invalid: invalid, validates: validates, host: host, pins: 0, no)
            }
        }
    }

    @Test(arguments: rows) func tableDecides(row: Row) {
        let pinned = (0..<max(row.pinCount, 1)).map { certificate(UInt8($0)) }
        let policy = SecurityPolicy(
            unchecked: row.mode, pins: PinSet(certificates: Array(pinned.prefix(row.pinCount))),
            allowInvalidCertificates: row.allowInvalid, validatesDomainName: row.validates)
        for findings in Findings.all {
            let facts = facts(findings, pinned: pinned[pinned.count - 1], in: row)
            let verdict = policy.verdict(on: facts, host: row.hasHost ? "api.example.com" : nil)
            #expect((verdict.refusal == nil) == row.trusts(findings), "\(findings)")
        }
    }

    /// The chain has the last of the pins, so one match is enough.
    private func facts(_ findings: Findings, pinned: ServerCertificate, in row: Row) -> ServerTrustFacts {
        let chain = [certificate(200), findings.pinned ? pinned : certificate(201)]
        let dates = VerificationFailure(code: 10, text: "certificate has expired", hasNoAnchor: false)
        return ServerTrustFacts(
            presented: chain + [pinned], authorityResult: findings.system ? .verified(chain) : .failed(dates),
            pinResult: findings.anchored ? .verified(chain) : .failed(dates), namesHost: findings.name)
    }

    private func certificate(_ number: UInt8) -> ServerCertificate {
        let der = Data([number, 1, 2, 3])
        return ServerCertificate(der: der, publicKeyPin: PublicKeyPin(publicKeyDER: der))
    }
}

extension SecurityPolicyVerdictTests {
    private func refusal(
        _ policy: SecurityPolicy, _ change: (inout ServerTrustFacts) -> Void
    ) -> NetworkingError? {
        var facts = ServerTrustFacts(
            presented: [certificate(9)], authorityResult: .verified([certificate(9)]), namesHost: true)
        change(&facts)
        return policy.verdict(on: facts, host: "api.example.com").refusal
    }

    @Test func refusalNamesTheHostTheModeAndThePinCount() throws {
        let keys = PinSet(certificates: [certificate(1), certificate(2)])
        let byKey = try SecurityPolicy(pinningMode: .publicKey, pins: keys)
        let mismatch = refusal(byKey) { _ in }
        #expect(mismatch?.code == .pinMismatch)
        #expect(
            mismatch?.message
                == "certificate for api.example.com matches none of 2 pinned keys (pinning mode publicKey)")
        let one = try SecurityPolicy(pinningMode: .certificate, pins: PinSet(certificates: [certificate(1)]))
        #expect(
            refusal(one) { $0.pinResult = nil }?.message
                == "certificate for api.example.com matches none of 1 pinned certificate (pinning mode certificate)")
    }

    @Test func otherFailuresAreNotPinMismatches() throws {
        let policy = try SecurityPolicy(pinningMode: .certificate, pins: PinSet(certificates: [certificate(1)]))
        let expired = VerificationFailure(code: 10, text: "certificate has expired", hasNoAnchor: false)
        let strange = VerificationFailure(code: 20, text: "no issuer", hasNoAnchor: true)
        #expect(refusal(policy) { $0.pinResult = .failed(expired) }?.code == .serverNotTrusted)
        #expect(refusal(policy) { $0.pinResult = .failed(strange) }?.code == .pinMismatch)
        #expect(refusal(policy) { $0.authorityResult = .failed(expired) }?.code == .serverNotTrusted)
        #expect(refusal(.default) { $0.namesHost = false }?.code == .serverNotTrusted)
        let underlying = refusal(policy) { $0.authorityResult = .failed(expired) }?.underlying as? LibraryError
        #expect(underlying == LibraryError(library: "OpenSSL", code: 10, text: "certificate has expired"))
    }

    @Test func unverifiedPresentedPinDoesNotCount() throws {
        let pinned = certificate(1)
        for mode in [PinningMode.publicKey, .certificate] {
            let policy = try SecurityPolicy(pinningMode: mode, pins: PinSet(certificates: [pinned]))
            let error = refusal(policy) { $0.presented = [self.certificate(9), pinned] }
            #expect(error?.code == .pinMismatch)
        }
    }
}

extension SecurityPolicyVerdictTests {
    private func violation(_ reportOnly: PinSet, expires: Date, now: Date, chain: [ServerCertificate]) throws
        -> PinViolation?
    {
        let policy = try SecurityPolicy(reportOnlyPins: ReportOnlyPins(reportOnly, expires: expires))
        let facts = ServerTrustFacts(
            presented: chain + [certificate(1)], authorityResult: .verified(chain), namesHost: true)
        #expect(policy.verdict(on: facts, host: "h").refusal == nil)
        return policy.violation(facts, host: "h", port: 443, now: now)
    }

    @Test func reportOnlyPinsAreReportedUntilTheyExpire() throws {
        let (end, chain) = (Date(timeIntervalSince1970: 1000), [certificate(9), certificate(8)])
        let wrong = PinSet(certificates: [certificate(1)])
        let before = try violation(wrong, expires: end, now: end - 1, chain: chain)
        #expect(before?.reason == "certificate for h matches none of 1 report-only key")
        #expect(before?.verifiedChain == chain)
        #expect(before?.port == 443)
        #expect(try violation(wrong, expires: end, now: end, chain: chain) == nil)
        #expect(try violation(wrong, expires: end, now: end + 1, chain: chain) == nil)
        let right = PinSet(certificates: [certificate(1), certificate(8)])
        #expect(try violation(right, expires: end, now: end - 1, chain: chain) == nil)
    }
}
