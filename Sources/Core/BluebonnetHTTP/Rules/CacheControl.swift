// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The directives of `Cache-Control` fields (RFC 9111, 5.2) that matter to a private cache.
package struct CacheControl: Equatable {
    package var forbidsStoring = false
    /// Not to be used again without asking the server. With field names (`no-cache="x"`) it is taken the same way.
    package var forbidsReuse = false
    /// Seconds; 0 when the directive is there and cannot be read, or is there twice and differs.
    var maximumAge: Int?
    /// Seconds that have to be left.
    var minimumFreshness: Int?

    package init(_ values: [String]) {
        for directive in values.flatMap(Self.directives) {
            switch directive.name {
            case "no-store": forbidsStoring = true
            case "no-cache": forbidsReuse = true
            case "max-age": maximumAge = Self.seconds(directive.value, besides: maximumAge)
            case "min-fresh": minimumFreshness = Self.seconds(directive.value, besides: nil)
            default: continue  // extensions and what concerns shared caches only, `s-maxage` among them
            }
        }
    }

    private static func seconds(_ text: String?, besides other: Int?) -> Int {
        guard let text, FieldSyntax.isNumber(text.utf8) else { return 0 }
        let seconds = min(Int(text) ?? .max, 1 << 31)  // RFC 9111, 1.2.2
        return other == nil || other == seconds ? seconds : 0
    }

    /// `name`, `name=token` and `name="text"` between commas, where a quoted text may have commas in it.
    private static func directives(_ value: String) -> [(name: String, value: String?)] {
        var (pieces, isQuoted) = ([""], false)
        for scalar in value.unicodeScalars {
            if scalar == "\"" { isQuoted.toggle() }
            if scalar == "," && !isQuoted {
                pieces.append("")
            } else {
                pieces[pieces.count - 1].unicodeScalars.append(scalar)
            }
        }
        return pieces.compactMap { piece in
            let parts = piece.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first, !name.isEmpty else { return nil }
            return (name.lowercased(), parts.count > 1 ? parts[1].trimmingCharacters(in: ["\""]) : nil)
        }
    }
}
