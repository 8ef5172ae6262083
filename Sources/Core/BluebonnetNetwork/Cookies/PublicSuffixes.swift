// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// Queries libcurl's public-suffix list: it belongs to libpsl, which a libcurl with support for public suffixes has
/// loaded. Any thread; the first use reads the list.
enum PublicSuffixes {
    /// Whether a rule of the list makes a host a public suffix, below which anyone may have a site. A name of one label
    /// without a rule, such as an intranet's, is not a public suffix. Always false if libpsl is linked into libcurl
    /// itself.
    static func contain(_ host: String) -> Bool {
        guard let isSuffix, let list else { return false }
        return isSuffix(list, host.lowercased(), anyRuleButTheDefault) == 1
    }

    /// PSL_TYPE_ICANN, PSL_TYPE_PRIVATE and PSL_TYPE_NO_STAR_RULE.
    private static let anyRuleButTheDefault: CInt = 1 | 2 | 4

    private typealias IsSuffix = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt
    private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?

    /// psl_is_public_suffix2(3).
    private static let isSuffix: IsSuffix? = dlsym(nil, "psl_is_public_suffix2").map {
        unsafeBitCast($0, to: IsSuffix.self)
    }

    /// psl_latest(3): the newer of libpsl's built-in list and the system's list, as libcurl chooses. Never freed.
    private nonisolated(unsafe) static let list: OpaquePointer? =  // safe: nothing changes the list
        dlsym(nil, "psl_latest").flatMap { unsafeBitCast($0, to: Latest.self)(nil) }
}
