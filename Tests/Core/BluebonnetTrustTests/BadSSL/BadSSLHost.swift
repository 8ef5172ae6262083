// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

/// Hosts below badssl.com that show one fault, or the lack of one; how such a server is made here, and what becomes of
/// a request to it. A value: it starts nothing.
struct BadSSLHost: Sendable, CustomTestStringConvertible {
    /// What a client should do.
    enum Wish: String, Sendable {
        case accept, refuse, either
    }

    /// How the end of a request compares with the wish.
    enum Judgement: String, Sendable, CaseIterable {
        case agrees = "as it should"
        case difference = "known difference"
        case stricter
        case notApplicable = "not applicable"
    }

    /// The names in front of `.badssl.com`.
    let names: [String]
    let wish: Wish?
    /// In words, for the page.
    let made: String
    /// Nil when there is nothing to connect to.
    let kind: ServerKind?
    /// Why the host is not applicable, or why the request ends otherwise than it should; else what is worth knowing.
    let remark: String

    var testDescription: String { names.joined(separator: ", ") }

    /// A host that a request is sent to.
    init(_ names: String..., wish: Wish, made: String, _ kind: ServerKind, remark: String = "") {
        (self.names, self.wish, self.made, self.kind, self.remark) = (names, wish, made, kind, remark)
    }

    /// Hosts without a meaning here.
    init(notApplicable names: String..., because reason: String) {
        (self.names, wish, made, kind, remark) = (names, nil, "–", nil, reason)
    }

    var judgement: Judgement {
        switch (wish, kind?.end) {
        case (nil, _), (_, nil): .notApplicable
        case (.either, _), (.accept, .accepted), (.refuse, .refused), (.refuse, .chainRefused): .agrees
        case (.refuse, .accepted): .difference
        case (.accept, .refused), (.accept, .chainRefused): .stricter
        }
    }

    /// How a request ends, in words.
    var end: String {
        switch kind?.end {
        case nil: "–"
        case .accepted: "accepted"
        case .chainRefused: "`serverNotTrusted`"
        case .refused(let code, _): "`\(code.rawValue)`"
        }
    }

    /// The row of the table on the documentation's page.
    var row: String {
        let hosts = names.map { "`\($0)`" }.joined(separator: ", ")
        let remarks = judgement == .agrees ? remark : "**\(judgement.rawValue)**: \(remark)"
        return "| \(hosts) | \(wish?.rawValue ?? "–") | \(made) | \(end) | \(remarks) |".replacing("|  |", with: "| |")
    }
}
