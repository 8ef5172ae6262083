// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Decides how long a private cache may reuse a response (RFC 9111, 4.2): by what the server states, never by a
/// heuristic. It uses neither a cache nor a clock.
package struct CacheFreshness {
    /// The seconds for which the response is fresh; nil if the server does not state a lifetime.
    package let lifetime: TimeInterval?
    /// Whether the response may be used without asking the server again while it is fresh.
    let mayBeReused: Bool
    package let mayBeStored: Bool
    /// The request fields that selected this response, in lower case; nil if any field may have (`Vary: *`).
    package let variedNames: [String]?
    private let initialAge: TimeInterval
    private let receivedAt: Date

    /// - Parameters:
    ///   - requestedAt: when the request was sent, or earlier.
    ///   - receivedAt: when the response had arrived.
    package init(_ head: ResponseHead, requestedAt: Date, receivedAt: Date) {
        let control = CacheControl(head.values(for: "Cache-Control"))
        let date = head.value(for: "Date").flatMap { HTTPDate.date($0, now: receivedAt) }
        lifetime = Self.lifetime(head, control, date: date ?? receivedAt)
        mayBeReused = !control.forbidsReuse
        mayBeStored = !control.forbidsStoring
        let varied = ResponseHead.list(head.values(for: "Vary"))
        variedNames = varied.contains("*") ? nil : varied
        let apparent = max(0, receivedAt.timeIntervalSince(date ?? receivedAt))
        let ageFieldValue =
            head.values(for: "Age").compactMap { FieldSyntax.isNumber($0.utf8) ? TimeInterval($0) : nil }.max() ?? 0
        initialAge = max(apparent, ageFieldValue + max(0, receivedAt.timeIntervalSince(requestedAt)))
        self.receivedAt = receivedAt
    }

    private static func lifetime(_ head: ResponseHead, _ control: CacheControl, date: Date) -> TimeInterval? {
        if let age = control.maximumAge { return TimeInterval(age) }
        let expires = head.values(for: "Expires")
        guard let first = expires.first else { return nil }
        // An unreadable date counts as a date in the past (RFC 9111, 5.3); servers write 0 or -1.
        return expires.count == 1 ? max(0, HTTPDate.date(first, now: date).map { $0.timeIntervalSince(date) } ?? 0) : 0
    }

    package func age(at now: Date) -> TimeInterval { initialAge + now.timeIntervalSince(receivedAt) }

    /// Returns whether the response may be used now for a request with the directives in `control`. A clock that was
    /// set back makes the response unusable.
    package func isFresh(at now: Date, for control: CacheControl = CacheControl([])) -> Bool {
        guard mayBeReused, !control.forbidsReuse, !control.forbidsStoring, let lifetime, now >= receivedAt else {
            return false
        }
        let age = age(at: now)
        return lifetime - TimeInterval(control.minimumFreshness ?? 0) > age
            && age <= TimeInterval(control.maximumAge ?? .max)
    }
}
