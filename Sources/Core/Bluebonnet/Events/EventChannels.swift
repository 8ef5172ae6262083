// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// The channels of the process: one for each monitor that is in use.
enum EventChannels {
    private struct Entry {
        let monitor: ObjectIdentifier
        weak var use: EventChannelUse?
        let kinds: RequestEvent.Kinds
    }

    private static let entries = Mutex<[Entry]>([], rank: .inbox)

    /// Whether a monitor in use wants at least one of these kinds of events.
    static func want(_ kinds: RequestEvent.Kinds) -> Bool { !EventCounters.wantedKinds.isDisjoint(with: kinds) }

    /// Returns the use of a monitor's channel; the same channel as long as it is in use.
    static func use(of monitor: any EventMonitor) -> EventChannelUse {
        let made = EventChannelUse(EventChannel(monitor))  // outside of the lock: it calls the monitor
        return entries.withLock { entries in
            let key = ObjectIdentifier(monitor)
            if let use = entries.first(where: { $0.monitor == key })?.use { return use }
            entries.removeAll { $0.monitor == key }
            entries.append(Entry(monitor: key, use: made, kinds: made.channel.kinds))
            update(entries)
            return made
        }
    }

    private static func update(_ entries: [Entry]) {
        let kinds = entries.reduce(RequestEvent.Kinds()) { $0.union($1.kinds) }
        EventCounters.wantedKinds = kinds
        ConnectionReports.areEnabled = !kinds.isDisjoint(with: .connections)
    }

    /// Forgets the channel of a monitor that is no longer in use.
    static func remove(_ key: ObjectIdentifier) {
        entries.withLock { entries in
            entries.removeAll { $0.monitor == key && $0.use == nil }
            update(entries)
        }
    }

    /// Returns the channels of the monitors that want a kind of events without an operation.
    private static func all(wanting kinds: RequestEvent.Kinds) -> InlineList<EventChannel> {
        entries.withLock { entries in
            var found = InlineList<EventChannel>()
            for entry in entries where !entry.kinds.isDisjoint(with: kinds) {
                if let use = entry.use { found.append(use.channel) }
            }
            return found
        }
    }

    /// Sends an event without an operation to the channels whose monitors want it.
    static func send(
        _ kinds: RequestEvent.Kinds, _ kind: @autoclosure () -> RequestEvent.Kind, _ subject: Box<EventSubject>,
        at instant: UInt64
    ) {
        guard want(kinds) else { return }
        let channels = all(wanting: kinds)
        guard !channels.isEmpty else { return }
        let event = RequestEvent(subject, instant: instant, kind())
        channels.visit { $0.append(event) }
    }

    /// Delivers all events that have happened, and returns when the monitors have received them. Not on
    /// `Queues.events`.
    static func flush() async {
        await withCheckedContinuation { continuation in
            Queues.events.async {
                all(wanting: .all).visit { $0.deliver() }
                continuation.resume()
            }
        }
    }
}
