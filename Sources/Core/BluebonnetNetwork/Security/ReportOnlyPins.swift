// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Report-only pins: a server that matches no pin is reported, and the request continues.
///
/// The pins are compared as in mode `publicKey`: with the key of each certificate of the verified chain.
public struct ReportOnlyPins: Sendable, Hashable, Codable {
    /// The pins.
    public let pins: PinSet
    /// The time from which nothing is reported.
    public let expires: Date

    /// Makes report-only pins.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if the set is empty.
    public init(_ pins: PinSet, expires: Date) throws(NetworkingError) {
        guard !pins.isEmpty else {
            throw NetworkingError(.invalidSecurityPolicy, "report-only pins need at least one pin")
        }
        self.pins = pins
        self.expires = expires
    }

    /// Decodes the pins, at least one, and the time when they expire.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let pins = try fields.decode(PinSet.self, forKey: .pins)
        let expires = try fields.decode(Date.self, forKey: .expires)
        do throws(NetworkingError) { try self.init(pins, expires: expires) } catch {
            throw error.decodingError(decoder)
        }
    }
}

/// The report of a server that matches none of the report-only pins.
public struct PinViolation: Sendable, Equatable {
    /// The server's host.
    public let host: String
    /// The server's port.
    public let port: Int
    /// The report-only pins.
    public let pins: ReportOnlyPins
    /// The certificates as the server presented them, beginning with its own.
    public let presentedChain: [ServerCertificate]
    /// The verified chain, from the server's certificate to its anchor; empty if the policy accepts servers without a
    /// chain.
    public let verifiedChain: [ServerCertificate]

    /// One sentence that names the host and the number of pins.
    public var reason: String {
        "certificate for \(host) matches none of \(pins.pins.count) report-only "
            + (pins.pins.count == 1 ? "key" : "keys")
    }
}
