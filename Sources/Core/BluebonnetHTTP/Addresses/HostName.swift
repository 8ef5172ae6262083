// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Converts host names to the form in which they are compared: lower case, international names in ASCII, without the
/// trailing dot of the root. Pure; it resolves no names.
package enum HostName {
    /// Returns the form in which a name is compared.
    package static func normalized(_ name: some StringProtocol) -> String {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        let ascii = isASCII ? name.lowercased() : URLText.asciiAuthority(Substring(name))?.lowercased() ?? String(name)
        return ascii.utf8.last == UInt8(ascii: ".") ? String(ascii.dropLast()) : ascii
    }

    /// Merges values by host. `values` replace `others`, regardless of the spelling of the hosts.
    package static func merging(_ values: [String: String], over others: [String: String]) -> [String: String] {
        var merged = others
        let names = Set(values.keys.map { normalized($0) })
        for name in others.keys where names.contains(normalized(name)) { merged[name] = nil }
        for (name, value) in values { merged[name] = value }
        return merged
    }
}
