// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Whether the network is in use, with delays that keep a display from flickering. A value without a clock or timer.
///
/// The owner reports starts and ends of work, and checks again at `nextInstant`.
struct NetworkActivity: Equatable {
    enum State: Equatable {
        case inactive
        /// Work has been running for less than the activation delay.
        case delayingStart(until: ContinuousClock.Instant)
        case active
        /// No work has been running, for less than the completion delay.
        case delayingEnd(until: ContinuousClock.Instant)
    }

    enum Event: CaseIterable {
        case began, ended, timePassed
    }

    /// How long work has to run before it counts as activity.
    var activationDelay: Duration
    /// How long no work has to run before the activity ends.
    var completionDelay: Duration
    private(set) var state = State.inactive
    /// The number of started and unfinished pieces of work.
    private(set) var count = 0
    /// When the owner's next timer fires; nil without a timer.
    private var timer: ContinuousClock.Instant?

    init(activationDelay: Duration, completionDelay: Duration) {
        (self.activationDelay, self.completionDelay) = (activationDelay, completionDelay)
    }

    /// Whether activity is shown.
    var isActive: Bool {
        switch state {
        case .inactive, .delayingStart: false
        case .active, .delayingEnd: true
        }
    }

    /// When to check again; nil if nothing changes by itself.
    var nextInstant: ContinuousClock.Instant? {
        switch state {
        case .delayingStart(let instant), .delayingEnd(let instant): instant
        case .inactive, .active: nil
        }
    }

    /// Returns the instant for a timer that the owner has to set; nil if no timer is needed, or an earlier timer is
    /// set.
    mutating func claimTimer() -> ContinuousClock.Instant? {
        guard let next = nextInstant, timer.map({ next < $0 }) ?? true else { return nil }
        timer = next
        return next
    }

    /// Handles a timer that has fired, on time or too early.
    mutating func timerPassed(_ instant: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        if timer == instant { timer = nil }
        handle(.timePassed, now: now)
    }

    /// Applies an event. An end without a start has no effect.
    mutating func handle(_ event: Event, now: ContinuousClock.Instant) {
        switch event {
        case .began: count += 1
        case .ended: count = max(count - 1, 0)
        case .timePassed: break
        }
        switch (state, count > 0) {
        case (.inactive, true): state = .delayingStart(until: now + activationDelay)
        case (.delayingStart, false): state = .inactive
        case (.active, false): state = .delayingEnd(until: now + completionDelay)
        case (.delayingEnd, true): state = .active
        case (.inactive, false), (.delayingStart, true), (.active, true), (.delayingEnd, false): break
        }
        switch state {
        case .delayingStart(let instant) where now >= instant: state = .active
        case .delayingEnd(let instant) where now >= instant: state = .inactive
        case .inactive, .delayingStart, .active, .delayingEnd: break
        }
    }
}
