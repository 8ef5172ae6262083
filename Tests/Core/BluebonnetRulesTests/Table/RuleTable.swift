// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The requirements of RFC 9110, 9112, 9113 and 6265 on clients, in the order of their sections.
///
/// Requirements on servers, intermediaries, caches and IANA registries are not included.
enum RuleTable {
    static let all: [Rule] = [semantics, http1, http2, cookies].flatMap { rules in
        rules.enumerated().sorted { first, second in
            let (a, b) = (first.element.sectionNumbers, second.element.sectionNumbers)
            return a == b ? first.offset < second.offset : a.lexicographicallyPrecedes(b)
        }.map(\.element)
    }

    static let semantics = semanticsOfFields + semanticsOfMethods + semanticsOfResponses
    static let http1 = http1Messages + http1Bodies + http1Connections
    static let http2 = http2Connections + http2Streams + http2Frames + http2Messages
    static let cookies = cookieSyntax + cookieAttributes + cookieStorage

    /// The number of rules with each standing.
    static func counts(_ rules: [Rule]) -> (held: Int, stricter: Int, deviating: Int, notApplicable: Int) {
        rules.reduce(into: (0, 0, 0, 0)) { counts, rule in
            switch rule.standing {
            case .held: counts.0 += 1
            case .stricter: counts.1 += 1
            case .deviates: counts.2 += 1
            case .notApplicable: counts.3 += 1
            }
        }
    }

    /// The table on the documentation page: a summary, then one table for each document.
    static var markdown: String {
        var lines = ["| | held | stricter | deviates | not applicable |", "|---|---|---|---|---|"]
        for document in Rule.Document.allCases {
            lines.append(row(document.rawValue, counts(all.filter { $0.document == document })))
        }
        lines.append(row("all", counts(all)))
        for document in Rule.Document.allCases {
            lines += [
                "", "## \(document.rawValue), \(document.title)", "", "| section | rule | standing |", "|---|---|---|",
            ]
            for rule in all where rule.document == document {
                lines.append("| \(rule.section) | \(rule.text) | \(rule.standing.text) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(
        _ name: String, _ counts: (held: Int, stricter: Int, deviating: Int, notApplicable: Int)
    ) -> String {
        "| \(name) | \(counts.held) | \(counts.stricter) | \(counts.deviating) | \(counts.notApplicable) |"
    }
}
