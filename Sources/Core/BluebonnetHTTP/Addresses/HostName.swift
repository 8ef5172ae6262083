// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Names of hosts in the one form in which they are compared: lower case, international ones in ASCII, without the dot
/// of the root at the end. Pure; it looks nothing up.
package enum HostName {
    /// The form in which a name is compared.
    package static func normalized(_ name: some StringProtocol) -> String {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        let ascii = isASCII ? name.lowercased() : URLText.asciiAuthority(Substring(name))?.lowercased() ?? String(name)
        return ascii.utf8.last == UInt8(ascii: ".") ? String(ascii.dropLast()) : ascii
    }

    /// Values by host, one set over another, whatever the spelling of the hosts.
    package static func merging(_ values: [String: String], over others: [String: String]) -> [String: String] {
        var merged = others
        let names = Set(values.keys.map { normalized($0) })
        for name in others.keys where names.contains(normalized(name)) { merged[name] = nil }
        for (name, value) in values { merged[name] = value }
        return merged
    }
}
