// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// How long a response may be used again, as a private cache decides it (RFC 9111, 4.2): by what the server said, never
/// by a guess. It knows no cache and no clock.
package struct CacheFreshness {
    /// Seconds for which the response is fresh; nil when the server did not say.
    package let lifetime: TimeInterval?
    /// Whether it may be used without asking the server again while it is fresh.
    let mayBeReused: Bool
    package let mayBeStored: Bool
    /// The request fields that chose this response, in lower case; nil when anything may have (`Vary: *`).
    package let variedNames: [String]?
    private let initialAge: TimeInterval
    private let receivedAt: Date

    /// - Parameters:
    ///   - requestedAt: when the request was sent, or earlier.
    ///   - receivedAt: when the response had come.
    package init(_ head: ResponseHead, requestedAt: Date, receivedAt: Date) {
        let control = CacheControl(head.values(for: "Cache-Control"))
        let date = head.value(for: "Date").flatMap { HTTPDate.date($0, now: receivedAt) }
        lifetime = Self.lifetime(head, control, date: date ?? receivedAt)
        mayBeReused = !control.forbidsReuse
        mayBeStored = !control.forbidsStoring
        let varied = ResponseHead.list(head.values(for: "Vary"))
        variedNames = varied.contains("*") ? nil : varied
        let apparent = max(0, receivedAt.timeIntervalSince(date ?? receivedAt))
        let told =
            head.values(for: "Age").compactMap { FieldSyntax.isNumber($0.utf8) ? TimeInterval($0) : nil }.max() ?? 0
        initialAge = max(apparent, told + max(0, receivedAt.timeIntervalSince(requestedAt)))
        self.receivedAt = receivedAt
    }

    private static func lifetime(_ head: ResponseHead, _ control: CacheControl, date: Date) -> TimeInterval? {
        if let age = control.maximumAge { return TimeInterval(age) }
        let expires = head.values(for: "Expires")
        guard let first = expires.first else { return nil }
        // A date that cannot be read is one in the past (RFC 9111, 5.3); servers write 0 or -1.
        return expires.count == 1 ? max(0, HTTPDate.date(first, now: date).map { $0.timeIntervalSince(date) } ?? 0) : 0
    }

    package func age(at now: Date) -> TimeInterval { initialAge + now.timeIntervalSince(receivedAt) }

    /// Whether it may be used now for a request that says `control`. A clock that went back makes it unusable.
    package func isFresh(at now: Date, for control: CacheControl = CacheControl([])) -> Bool {
        guard mayBeReused, !control.forbidsReuse, !control.forbidsStoring, let lifetime, now >= receivedAt else {
            return false
        }
        let age = age(at: now)
        return lifetime - TimeInterval(control.minimumFreshness ?? 0) > age
            && age <= TimeInterval(control.maximumAge ?? .max)
    }
}
