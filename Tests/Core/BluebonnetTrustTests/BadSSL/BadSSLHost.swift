// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

/// Hosts of badssl.com that show one fault or the lack of it, how such a server is made here, and how a request to it
/// ends. This is a value; it starts no server.
struct BadSSLHost: Sendable, CustomTestStringConvertible {
    /// The behavior that a client should have.
    enum Wish: String, Sendable {
        case accept, refuse, either
    }

    /// How the result of a request compares with the wish.
    enum Judgement: String, Sendable, CaseIterable {
        case agrees = "as it should"
        case difference = "known difference"
        case stricter
        case notApplicable = "not applicable"
    }

    /// The names before `.badssl.com`.
    let names: [String]
    let wish: Wish?
    /// A description for the documentation page.
    let made: String
    /// Nil if there is no server to connect to.
    let kind: ServerKind?
    /// The reason if the host is not applicable or the request ends differently than it should. Otherwise a note.
    let remark: String

    var testDescription: String { names.joined(separator: ", ") }

    /// A host that receives a request.
    init(_ names: String..., wish: Wish, made: String, _ kind: ServerKind, remark: String = "") {
        (self.names, self.wish, self.made, self.kind, self.remark) = (names, wish, made, kind, remark)
    }

    /// Hosts that have no meaning here.
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

    /// The row of the table on the documentation page.
    var row: String {
        let hosts = names.map { "`\($0)`" }.joined(separator: ", ")
        let remarks = judgement == .agrees ? remark : "**\(judgement.rawValue)**: \(remark)"
        return "| \(hosts) | \(wish?.rawValue ?? "–") | \(made) | \(end) | \(remarks) |".replacing("|  |", with: "| |")
    }
}
