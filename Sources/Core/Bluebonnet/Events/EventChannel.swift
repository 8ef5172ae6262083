// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// Passes events to one monitor, in batches, on `Queues.events`. Any thread.
///
/// The buffer is bounded. While the buffer is full, events are counted instead of stored; the count becomes an event
/// where the events were dropped.
final class EventChannel: Sendable {
    private struct Buffer: Sendable {
        var events: [RequestEvent] = []
        var droppedCount = 0
        /// Whether a delivery is scheduled, or the events are being delivered.
        var isScheduled = false

        /// - Parameter event: the event, which is moved out of the variable.
        @inline(__always)
        mutating func append(_ event: inout RequestEvent?, capacity: Int) {
            if droppedCount > 0 || events.count >= capacity {
                droppedCount += 1
            } else if let event = event.take() {
                events.append(event)
            }
        }

        /// Returns whether a delivery is to be scheduled.
        mutating func beginBatch() -> Bool {
            defer { isScheduled = true }
            return !isScheduled
        }
    }

    static let capacity = 65_536
    /// The most events that the network thread releases at once.
    private static let releasedCount = 4_096
    /// How long the first event of a batch waits for others.
    private static let delay = DispatchTimeInterval.milliseconds(10)
    let monitor: any EventMonitor
    /// The kinds of events that the monitor wants.
    let kinds: RequestEvent.Kinds
    private let capacity: Int
    private let buffer = Mutex(Buffer(), rank: .inbox)

    /// - Parameter capacity: the number of events that wait for the monitor.
    init(_ monitor: any EventMonitor, capacity: Int = EventChannel.capacity) {
        (self.monitor, self.capacity, kinds) = (monitor, capacity, monitor.kinds)
    }

    @inline(__always)
    func append(_ event: consuming RequestEvent) {
        var event = Optional(event)
        let isFirst = buffer.withLock { buffer -> Bool in
            buffer.append(&event, capacity: capacity)
            return buffer.beginBatch()
        }
        if isFirst { deliverSoon() }
    }

    /// Appends two events that happened at the same time.
    @inline(__always)
    func append(_ first: consuming RequestEvent, _ second: consuming RequestEvent) {
        var (first, second) = (Optional(first), Optional(second))
        let isFirst = buffer.withLock { buffer -> Bool in
            buffer.append(&first, capacity: capacity)
            buffer.append(&second, capacity: capacity)
            return buffer.beginBatch()
        }
        if isFirst { deliverSoon() }
    }

    private func deliverSoon() { Queues.events.asyncAfter(deadline: .now() + Self.delay) { self.deliver() } }

    /// Delivers the events of this moment. On `Queues.events` only.
    func deliver() {
        var (events, droppedCount) = buffer.withLock { buffer -> ([RequestEvent], Int) in
            let (events, droppedCount) = (buffer.events, buffer.droppedCount)
            buffer = Buffer()
            buffer.events.reserveCapacity(events.count)
            return (events, droppedCount)
        }
        let now = MonotonicClock.now()
        if droppedCount > 0 { events.append(RequestEvent(instant: now, .eventsDropped(droppedCount))) }
        guard !events.isEmpty else { return }
        Self.setDates(&events, now: now)
        monitor.receive(events)
        Self.release(consume events)
    }

    /// Releases events on the network thread, which has made most of them. A thread that releases the objects of
    /// another thread takes that thread's lock in `malloc`: the network thread would wait for it at every request.
    private static func release(_ events: consuming [RequestEvent]) {
        guard events.count <= releasedCount else { return }
        NetworkThread.shared.submit { [events] in _ = events }
    }

    /// Sets the date of each event from its instant. The clock is read once for all events, so events have no date
    /// before their delivery.
    private static func setDates(_ events: inout [RequestEvent], now: UInt64) {
        let date = Date()
        for index in events.indices {
            let age = now - min(events[index].instant, now)
            events[index].date = date.addingTimeInterval(-Double(age) / 1e9)
        }
    }
}
