// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A version of TLS, by its number in the protocol (RFC 8446, 4.2.1).
public struct TLSProtocolVersion: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The number in the protocol.
    public let rawValue: UInt16

    /// Makes a version from any number. `TLSOptions` accepts only the versions that are named here.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// TLS 1.0 (RFC 2246), broken and withdrawn (RFC 8996).
    public static let v10 = TLSProtocolVersion(rawValue: 0x0301)
    /// TLS 1.1 (RFC 4346), withdrawn (RFC 8996).
    public static let v11 = TLSProtocolVersion(rawValue: 0x0302)
    /// TLS 1.2 (RFC 5246).
    public static let v12 = TLSProtocolVersion(rawValue: 0x0303)
    /// TLS 1.3 (RFC 8446).
    public static let v13 = TLSProtocolVersion(rawValue: 0x0304)

    static let known: [TLSProtocolVersion] = [.v10, .v11, .v12, .v13]

    public static func < (one: TLSProtocolVersion, other: TLSProtocolVersion) -> Bool { one.rawValue < other.rawValue }

    /// The number after "1." in the version's name.
    package var minor: Int { Int(rawValue) - Int(Self.v10.rawValue) }

    /// The name, for example "TLS 1.3".
    public var description: String {
        Self.known.contains(self) ? "TLS 1.\(minor)" : "TLS version \(rawValue)"
    }
}
