// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A regular expression of a request line, in the syntax of ICU: see `NSRegularExpression`.
public struct TextPattern: Sendable, Hashable, CustomStringConvertible {
    /// The expression as given.
    public let description: String
    private let expression: NSRegularExpression

    /// Makes a pattern; nil if the text is not a regular expression.
    public init?(_ text: String) {
        guard let expression = try? NSRegularExpression(pattern: text) else { return nil }
        (description, self.expression) = (text, expression)
    }

    /// The result of a search.
    enum Match: Equatable {
        /// The first group of the first match; the whole match, if there are no groups. Nil if the group took no part.
        case found(String?)
        case none
        /// The search took too long: the expression backtracks too much.
        case abandoned
    }

    /// Searches a text for the first match. A server can send a text for which an expression backtracks for years, so
    /// a search is given up after a quarter of a second, or after 200 ns for each byte of a long text.
    func firstMatch(in text: String) -> Match {
        var (match, reportCount) = (Match.none, 0)
        let (range, end) = (NSRange(text.startIndex..., in: text), ContinuousClock.now + Self.limit(of: text))
        expression.enumerateMatches(in: text, options: .reportProgress, range: range) { result, _, stop in
            guard let result else {
                reportCount += 1
                // Reports come for each position, or for each 10,000 steps at one.
                guard reportCount % 64 == 0, .now > end else { return }
                (match, stop.pointee) = (.abandoned, true)
                return
            }
            let group = result.numberOfRanges > 1 ? result.range(at: 1) : result.range
            match = .found(Range(group, in: text).map { String(text[$0]) })
            stop.pointee = true
        }
        return match
    }

    private static func limit(of text: String) -> Duration {
        max(.milliseconds(250), .nanoseconds(200 * text.utf8.count))
    }

    public static func == (one: TextPattern, other: TextPattern) -> Bool { one.description == other.description }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
