// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// A version of libcurl.
struct CurlVersion: Comparable, CustomStringConvertible {
    /// The format of LIBCURL_VERSION_NUM: one byte each for major, minor and patch.
    private let number: UInt32

    init(number: UInt32) { self.number = number }

    init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32 = 0) { number = major << 16 | minor << 8 | patch }

    /// The version of the shared library that the program runs with.
    static let current = CurlVersion(number: curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0)

    /// The oldest version that the library supports.
    static let floor = CurlVersion(7, 88)

    /// Why the library cannot work with this version; nil if it can. The headers that a program was built with may be
    /// newer than the shared library that it runs with.
    var obstacle: String? {
        guard self < .floor else { return nil }
        return "the program runs with libcurl \(self), but Bluebonnet needs libcurl \(Self.floor) or later"
    }

    var description: String { "\(number >> 16 & 0xFF).\(number >> 8 & 0xFF).\(number & 0xFF)" }

    static func < (left: CurlVersion, right: CurlVersion) -> Bool { left.number < right.number }
}

/// A workaround for certain versions of libcurl. Each conforming type documents why it is needed and what other
/// versions do. It is removed when its last affected version is no longer supported.
protocol CurlQuirk {
    /// The versions with the fault.
    static var versions: Range<CurlVersion> { get }
}

extension CurlQuirk {
    /// Whether the libcurl in use has the fault.
    static var isPresent: Bool { versions.contains(.current) }
}

extension Range<CurlVersion> {
    /// All supported versions before the first version without the fault.
    static func before(_ major: UInt32, _ minor: UInt32) -> Range { CurlVersion.floor..<CurlVersion(major, minor) }

    /// A version and all later versions so far.
    static func since(_ major: UInt32, _ minor: UInt32) -> Range {
        CurlVersion(major, minor)..<CurlVersion(number: .max)
    }

    /// Every version so far.
    static var all: Range { CurlVersion.floor..<CurlVersion(number: .max) }
}
