// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

/// One RFC requirement on clients, and how far the library meets it.
struct Rule: Sendable, CustomTestStringConvertible {
    /// The document that contains a requirement.
    enum Document: String, Sendable, CaseIterable {
        case semantics = "RFC 9110"
        case http1 = "RFC 9112"
        case http2 = "RFC 9113"
        case cookies = "RFC 6265"

        var title: String {
            switch self {
            case .semantics: "HTTP Semantics"
            case .http1: "HTTP/1.1"
            case .http2: "HTTP/2"
            case .cookies: "Cookies"
            }
        }
    }

    /// How far the library meets a requirement, with the case that shows it.
    enum Standing: Sendable {
        case held(RuleCase)
        /// The library refuses more than the requirement demands.
        case stricter(String, RuleCase)
        /// The library does not meet the requirement. The case shows the actual behavior, so that a change is
        /// noticed.
        case deviates(String, RuleCase)
        /// The requirement concerns something that the library does not do.
        case notApplicable(String)
    }

    let document: Document
    let section: String
    /// The requirement in our own words.
    let text: String
    let standing: Standing

    init(_ document: Document, _ section: String, _ text: String, _ standing: Standing) {
        (self.document, self.section, self.text, self.standing) = (document, section, text, standing)
    }

    var testDescription: String { "\(document.rawValue), \(section): \(text)" }

    /// The numbers of the section. Rules are sorted by them.
    var sectionNumbers: [Int] { section.split(separator: ".").compactMap { Int($0) } }

    /// The case that shows the standing; nil if there is nothing to show.
    var example: RuleCase? {
        switch standing {
        case .held(let example), .stricter(_, let example), .deviates(_, let example): example
        case .notApplicable: nil
        }
    }
}

extension Rule.Standing {
    /// The standing in a few words, as in the table.
    var text: String {
        switch self {
        case .held(let example): example.place.map { "held: `\($0)`" } ?? "held"
        case .stricter(let reason, _): "stricter: \(reason)"
        case .deviates(let reason, let example):
            "deviates: \(reason)" + (example.place.map { ", `\($0)`" } ?? "")
        case .notApplicable(let reason): "not applicable: \(reason)"
        }
    }
}
