// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Whether the network is in use, with delays that keep a display from flickering: a value without a clock or timer.
///
/// The owner notes what begins and ends, and looks again at `nextInstant`.
struct NetworkActivity: Equatable {
    enum State: Equatable {
        case inactive
        /// Something runs, for less than the activation delay.
        case delayingStart(until: ContinuousClock.Instant)
        case active
        /// Nothing runs, for less than the completion delay.
        case delayingEnd(until: ContinuousClock.Instant)
    }

    enum Event: CaseIterable {
        case began, ended, timePassed
    }

    /// How long something has to run before it counts.
    var activationDelay: Duration
    /// How long nothing has to run before that counts.
    var completionDelay: Duration
    private(set) var state = State.inactive
    /// What has begun and not ended.
    private(set) var count = 0
    /// When the owner's next timer passes; nil without a timer.
    private var timer: ContinuousClock.Instant?

    init(activationDelay: Duration, completionDelay: Duration) {
        (self.activationDelay, self.completionDelay) = (activationDelay, completionDelay)
    }

    /// Whether activity is to be shown.
    var isActive: Bool {
        switch state {
        case .inactive, .delayingStart: false
        case .active, .delayingEnd: true
        }
    }

    /// When to look again; nil when nothing changes by itself.
    var nextInstant: ContinuousClock.Instant? {
        switch state {
        case .delayingStart(let instant), .delayingEnd(let instant): instant
        case .inactive, .active: nil
        }
    }

    /// The instant for a timer that the owner has to set; nil when none is needed, or one passes before.
    mutating func takeTimer() -> ContinuousClock.Instant? {
        guard let next = nextInstant, timer.map({ next < $0 }) ?? true else { return nil }
        timer = next
        return next
    }

    /// A timer has passed, on time or too early.
    mutating func timerPassed(_ instant: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        if timer == instant { timer = nil }
        handle(.timePassed, now: now)
    }

    /// Applies an event. An end without a beginning has no effect.
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
