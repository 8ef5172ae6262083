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
    }

    static let capacity = 65_536
    /// How long the first event of a batch waits for others.
    private static let delay = DispatchTimeInterval.milliseconds(10)
    let monitor: any EventMonitor
    private let capacity: Int
    private let buffer = Mutex(Buffer(), rank: .inbox)

    /// - Parameter capacity: the number of events that wait for the monitor.
    init(_ monitor: any EventMonitor, capacity: Int = EventChannel.capacity) {
        (self.monitor, self.capacity) = (monitor, capacity)
    }

    deinit { EventChannels.remove(ObjectIdentifier(monitor)) }

    func append(_ event: RequestEvent) {
        let isFirst = buffer.withLock { buffer -> Bool in
            if buffer.droppedCount > 0 || buffer.events.count >= capacity {
                buffer.droppedCount += 1
            } else {
                buffer.events.append(event)
            }
            defer { buffer.isScheduled = true }
            return !buffer.isScheduled
        }
        if isFirst { Queues.events.asyncAfter(deadline: .now() + Self.delay) { self.deliver() } }
    }

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

/// The channels of the process: one for each monitor that is in use.
enum EventChannels {
    private struct Entry {
        let monitor: ObjectIdentifier
        weak var channel: EventChannel?
    }

    private static let entries = Mutex<[Entry]>([], rank: .inbox)

    /// Whether no monitor is in use.
    static var isEmpty: Bool { EventCounters.channelCount == 0 }

    /// Returns the channel of a monitor; the same channel as long as something retains it.
    static func channel(for monitor: any EventMonitor) -> EventChannel {
        entries.withLock { entries in
            let key = ObjectIdentifier(monitor)
            if let channel = entries.first(where: { $0.monitor == key })?.channel { return channel }
            let channel = EventChannel(monitor)
            entries.removeAll { $0.monitor == key }
            entries.append(Entry(monitor: key, channel: channel))
            EventCounters.channelCount = entries.count
            return channel
        }
    }

    /// Forgets the channel of a monitor, which was released.
    fileprivate static func remove(_ key: ObjectIdentifier) {
        entries.withLock { entries in
            entries.removeAll { $0.monitor == key && $0.channel == nil }
            EventCounters.channelCount = entries.count
        }
    }

    /// Returns the channels of monitors, without repetitions.
    static func channels(for monitors: [any EventMonitor]) -> [EventChannel] {
        var channels: [EventChannel] = []
        for monitor in monitors where !channels.contains(where: { $0.monitor === monitor }) {
            channels.append(channel(for: monitor))
        }
        return channels
    }

    /// All channels, for events without an operation.
    static var all: [EventChannel] { entries.withLock { $0.compactMap(\.channel) } }

    /// Sends an event without an operation to all channels.
    static func send(_ kind: RequestEvent.Kind, _ subject: Box<EventSubject>, instant: UInt64 = MonotonicClock.now()) {
        let event = RequestEvent(subject, instant: instant, kind)
        for channel in all { channel.append(event) }
    }

    /// Delivers all events that have happened, and returns when the monitors have received them. Not on
    /// `Queues.events`.
    static func flush() async {
        await withCheckedContinuation { continuation in
            Queues.events.async {
                for channel in all { channel.deliver() }
                continuation.resume()
            }
        }
    }
}
