// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The time at which a response asks for another request: from `Retry-After` (RFC 9110, 10.2.3), else from `RateLimit`
/// with nothing left (draft-ietf-httpapi-ratelimit-headers, in its current form and in the form of draft 6), else from
/// `X-RateLimit-Remaining` and `X-RateLimit-Reset`. Nonstandard values are read if they have only one meaning. A value;
/// it decides nothing.
package struct RetryHint: Equatable, Sendable {
    /// The kind of field that the time comes from.
    package enum Source: Equatable, Sendable { case retryAfter, rateLimit }

    package let source: Source
    /// The seconds from the arrival of the response; not negative.
    package let seconds: Double

    package init(source: Source, seconds: Double) {
        (self.source, self.seconds) = (source, min(max(0, seconds), Self.mostSeconds))
    }

    /// - Parameters:
    ///   - headers: the fields of a response that asks the client to wait.
    ///   - now: when the response arrived, for dates in a response without its own `Date`.
    package init?(in headers: HeaderFields, now: Date) {
        let serverNow = headers["Date"].flatMap { HTTPDate.date($0, now: now) } ?? now
        if let seconds = Self.seconds(ofRetryAfter: headers.values(for: "Retry-After"), serverNow) {
            self.init(source: .retryAfter, seconds: seconds)
        } else {
            self.init(rateLimitIn: headers, serverNow, isRefusal: true)
        }
    }

    /// Makes a hint from a response that is not a refusal, if the response states that the server's limit is used up.
    package init?(ofAccepted headers: HeaderFields, now: Date) {
        guard headers.mayTellRateLimit else { return nil }
        let serverNow = headers["Date"].flatMap { HTTPDate.date($0, now: now) } ?? now
        self.init(rateLimitIn: headers, serverNow, isRefusal: false)
    }

    /// A response with `Age` comes from a cache and describes the limit at the time of another request. A success that
    /// names a resource whose limit is used up says nothing about other resources of the origin.
    private init?(rateLimitIn headers: HeaderFields, _ serverNow: Date, isRefusal: Bool) {
        guard headers["Age"] == nil else { return nil }
        let isOfOneResource = !isRefusal && headers.contains(name: "X-RateLimit-Resource")
        let old = isOfOneResource ? nil : Self.secondsOfOldRateLimit(headers, serverNow)
        guard let seconds = Self.secondsOfRateLimit(headers) ?? old else { return nil }
        self.init(source: .rateLimit, seconds: seconds)
    }

    /// Returns the seconds on which all fields agree. Servers and proxies write the field twice, as two fields or as a
    /// list.
    private static func seconds(ofRetryAfter values: [String], _ now: Date) -> Double? {
        var all: Set<Double> = []
        for value in values {
            let whole = seconds(value, now).map { [$0] }
            guard let found = whole ?? seconds(ofList: value, now) else { return nil }
            all.formUnion(found)
        }
        return all.count == 1 ? all.first : nil
    }

    /// Returns the times in a list; nil if a member is unreadable.
    private static func seconds(ofList value: String, _ now: Date) -> [Double]? {
        let members = value.split(separator: ",", omittingEmptySubsequences: false).map { seconds(String($0), now) }
        return members.contains(nil) ? nil : members.compactMap(\.self)
    }

    /// Returns the seconds from now that a value means: a number, a span with units or a date.
    private static func seconds(_ text: String, _ now: Date) -> Double? {
        if let number = number(text) { return span(number, now) }
        return TimeSpanText.seconds(text)
            ?? (HTTPDate.date(text, now: now) ?? TimeSpanText.date(text)).map { $0.timeIntervalSince(now) }
    }

    /// Converts a number of seconds, or a time in seconds or milliseconds since 1970, which some servers write.
    private static func span(_ number: Double, _ now: Date) -> Double {
        if number < 1e9 { return number }
        return (number < 1e11 ? number : number / 1000) - now.timeIntervalSince1970
    }

    /// The upper limit, about thirty years: longer than any client waits.
    package static let mostSeconds = 1e9

    /// Parses a number in a field: an integer according to the RFC, with a fraction from some servers.
    private static func number(_ text: some StringProtocol) -> Double? {
        let text = text.trimmingCharacters(in: .whitespaces)
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
        return Double(text).map { min($0, 1e18) }
    }
}

// MARK: - RateLimit

extension RetryHint {
    /// Reads `RateLimit: "burst";r=0;t=5, "daily";r=90`. The window in `RateLimit-Policy: "burst";q=10;w=60` replaces a
    /// missing `t`. Servers of draft 6 write `limit=10, remaining=0, reset=5`.
    private static func secondsOfRateLimit(_ headers: HeaderFields) -> Double? {
        guard let text = headers["RateLimit"] else { return nil }
        let items = items(text)
        let pairs = items.flatMap(\.parameters)
        if let remaining = pairs.first(where: { $0.name == "remaining" }) {
            guard number(remaining.value) == 0 else { return nil }
            return pairs.first { $0.name == "reset" }.flatMap { number($0.value) }
        }
        let windows = self.items(headers["RateLimit-Policy"] ?? "")
        return items.compactMap { item -> Double? in
            guard item["r"].flatMap(number) == 0 else { return nil }
            return (item["t"] ?? windows.first { $0.name == item.name }?["w"]).flatMap(number)
        }.max()
    }

    /// Reads `X-RateLimit-Reset` or `RateLimit-Reset`: a number of seconds, a time in seconds or milliseconds since
    /// 1970, a span such as `6m0s`, or a date.
    private static func secondsOfOldRateLimit(_ headers: HeaderFields, _ now: Date) -> Double? {
        let names = ["X-RateLimit-", "RateLimit-"]
        for name in names {
            guard let remaining = headers[name + "Remaining"].flatMap({ number($0) }), remaining == 0,
                let reset = headers[name + "Reset"].flatMap({ seconds($0, now) })
            else { continue }
            return reset
        }
        return nil
    }

    /// One member of a list (RFC 9651, 3.1): a name and its parameters. A member `name=value` is itself a parameter.
    private struct Item {
        var name: Substring = ""
        var parameters: [(name: Substring, value: Substring)] = []

        subscript(_ name: String) -> Substring? { parameters.first { $0.name == name }?.value }
    }

    private static func items(_ text: String) -> [Item] {
        pieces(text[...], at: ",").map { member in
            var item = Item()
            for piece in pieces(member, at: ";") {
                let piece = piece.trimmed
                guard let equals = piece.firstIndex(of: "="), piece.first != "\"" else {
                    item.name = piece
                    continue
                }
                item.parameters.append((piece[..<equals].trimmed, piece[piece.index(after: equals)...].trimmed))
            }
            return item
        }
    }

    /// Splits a text at the separators outside quoted strings.
    private static func pieces(_ text: Substring, at separator: Character) -> [Substring] {
        var (pieces, start, isQuoted) = ([Substring](), text.startIndex, false)
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            guard text[index] == separator, !isQuoted else { continue }
            pieces.append(text[start..<index])
            start = text.index(after: index)
        }
        return pieces + [text[start...]]
    }
}

extension Substring {
    fileprivate var trimmed: Substring { Substring(FieldSyntax.trimmed(utf8)) }
}
