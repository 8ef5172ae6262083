// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The age of a response and the time for which it is fresh (RFC 9111, 4.2), for a private cache.
package struct StoredTimes: Sendable, Hashable {
    /// The seconds for which the response is fresh; nil if neither the server nor the heuristic states a lifetime.
    package let lifetime: TimeInterval?
    /// Whether the lifetime is a guess (RFC 9111, 4.2.2).
    package let isHeuristic: Bool
    /// When the server made the response: its `Date`, otherwise the time of arrival.
    package let date: Date
    private let initialAge: TimeInterval
    private let receivedAt: Date

    /// The guess: this part of the time since the last modification, but at most `heuristicLimit`.
    private static let heuristicFraction = 0.1
    private static let heuristicLimit: TimeInterval = 86_400

    init(_ status: Int, _ headers: HeaderFields, _ directives: CacheDirectives, requestedAt: Date, receivedAt: Date) {
        let date = headers["Date"].flatMap { HTTPDate.date($0, now: receivedAt) } ?? receivedAt
        let stated = Self.statedLifetime(headers, directives, date: date)
        let guess = stated == nil ? Self.heuristicLifetime(status, headers, directives, date: date) : nil
        (lifetime, isHeuristic) = (stated ?? guess, guess != nil)
        // A date has whole seconds: compared with a fraction, it would make each response older by half a second.
        let arrival = Date(timeIntervalSince1970: receivedAt.timeIntervalSince1970.rounded(.down))
        let apparentAge = max(0, arrival.timeIntervalSince(date))
        let delay = max(0, receivedAt.timeIntervalSince(requestedAt))
        initialAge = max(apparentAge, Self.age(headers) + delay)
        (self.date, self.receivedAt) = (date, receivedAt)
    }

    private static func statedLifetime(
        _ headers: HeaderFields, _ directives: CacheDirectives, date: Date
    ) -> TimeInterval? {
        if let seconds = directives.maxAge { return TimeInterval(seconds) }
        let expires = headers.values(for: "Expires")
        guard let first = expires.first else { return nil }
        // Invalid dates, such as "0", are in the past (RFC 9111, 5.3), and so are contradictory ones.
        guard expires.dropFirst().allSatisfy({ $0 == first }) else { return 0 }
        return max(0, HTTPDate.strictDate(first, now: date).map { $0.timeIntervalSince(date) } ?? 0)
    }

    private static func heuristicLifetime(
        _ status: Int, _ headers: HeaderFields, _ directives: CacheDirectives, date: Date
    ) -> TimeInterval? {
        guard isHeuristicallyCacheable(status) || directives.isPublic,
            let modified = headers["Last-Modified"].flatMap({ HTTPDate.date($0, now: date) }), modified < date
        else { return nil }
        return min(heuristicFraction * date.timeIntervalSince(modified), heuristicLimit)
    }

    /// Returns whether responses with a status may be reused although nothing states a lifetime (RFC 9110, 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// Returns the first `Age`; 0 if it is invalid (RFC 9111, 5.1).
    private static func age(_ headers: HeaderFields) -> TimeInterval {
        guard let line = headers.values(for: "Age").first else { return 0 }
        let first = FieldSyntax.trimmed(line[...].utf8.prefix { $0 != UInt8(ascii: ",") })
        guard FieldSyntax.isNumber(first) else { return 0 }
        return TimeInterval(min(Int(Substring(first)) ?? .max, CacheDirectives.maximumSeconds))
    }

    /// Returns the age in seconds.
    package func age(at now: Date) -> TimeInterval { initialAge + max(0, now.timeIntervalSince(receivedAt)) }

    /// Returns the seconds until the response is stale; zero or negative if it is. After the clock was set back the age
    /// is unknown, and the response is stale.
    package func remaining(at now: Date) -> TimeInterval {
        now < receivedAt ? min(0, (lifetime ?? 0) - initialAge) : (lifetime ?? 0) - age(at: now)
    }

    /// The value of `Age`.
    func ageText(at now: Date) -> String {
        String(Int(min(age(at: now), TimeInterval(CacheDirectives.maximumSeconds)).rounded(.down)))
    }
}
