// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The cookies that libcurl has read wrongly since the jar was last corrected. A value with one fault for each cookie
/// name and URL, however many lines have it, so that each cookie of the jar is examined once.
struct MisreadCookies {
    struct Source: Hashable {
        /// The name that libcurl has given the cookies.
        let name: ByteString
        let url: URL
    }

    private(set) var faults: [Source: CookieFault] = [:]

    /// Adds a `Set-Cookie` line, if libcurl reads it wrongly.
    mutating func add(line: String, from url: URL) {
        guard let fault = CookieFault(line: line) else { return }
        faults[Source(name: ByteString(fault.name), url: url), default: fault].add(fault)
    }

    /// The names of the cookies that have to be looked at.
    var names: Set<ByteString> { Set(faults.keys.map(\.name)) }
}
