// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The directives of `Cache-Control` fields (RFC 9111, 5.2) that matter to a private cache.
package struct CacheControl: Equatable {
    package var forbidsStoring = false
    /// Whether a stored response must not be reused without asking the server. With field names (`no-cache="x"`) the
    /// directive has the same effect.
    package var forbidsReuse = false
    /// Seconds; 0 if the directive is unreadable, or occurs twice with different values.
    var maximumAge: Int?
    /// The seconds of freshness that must be left.
    var minimumFreshness: Int?

    package init(_ values: [String]) {
        for directive in values.flatMap(Self.directives) {
            switch directive.name {
            case "no-store": forbidsStoring = true
            case "no-cache": forbidsReuse = true
            case "max-age": maximumAge = Self.seconds(directive.value, besides: maximumAge)
            case "min-fresh": minimumFreshness = Self.seconds(directive.value, besides: nil)
            default: continue  // extensions, and directives for shared caches only, such as `s-maxage`
            }
        }
    }

    private static func seconds(_ text: String?, besides other: Int?) -> Int {
        guard let text, FieldSyntax.isNumber(text.utf8) else { return 0 }
        let seconds = min(Int(text) ?? .max, 1 << 31)  // RFC 9111, 1.2.2
        return other == nil || other == seconds ? seconds : 0
    }

    /// Splits `name`, `name=token` and `name="text"` at commas. A quoted text may contain commas.
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
