// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// The channels of the process: one for each monitor that is in use.
enum EventChannels {
    private struct Entry {
        /// Known until the last events of the last use are delivered.
        let channel: EventChannel
        weak var use: EventChannelUse?
    }

    private static let entries = Mutex<[Entry]>([], rank: .inbox)

    /// Whether a monitor in use wants at least one of these kinds of events.
    static func want(_ kinds: RequestEvent.Kinds) -> Bool { !EventCounters.wantedKinds.isDisjoint(with: kinds) }

    /// Returns the use of a monitor's channel; the same channel as long as it is in use.
    static func use(of monitor: any EventMonitor) -> EventChannelUse {
        let made = EventChannelUse(EventChannel(monitor))  // outside of the lock: it calls the monitor
        return entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.channel.monitor === monitor }) else {
                entries.append(Entry(channel: made.channel, use: made))
                update(entries)
                return made
            }
            if let use = entries[index].use { return use }
            let use = EventChannelUse(entries[index].channel)
            entries[index].use = use
            return use
        }
    }

    private static func update(_ entries: [Entry]) {
        let kinds = entries.reduce(RequestEvent.Kinds()) { $0.union($1.channel.kinds) }
        EventCounters.wantedKinds = kinds
        ConnectionReports.areEnabled = !kinds.isDisjoint(with: .connections)
    }

    /// Delivers the last events of a channel that is no longer in use, and forgets the channel.
    static func end(_ channel: EventChannel) {
        Queues.events.async {
            channel.deliver()
            entries.withLock { entries in
                entries.removeAll { $0.channel === channel && $0.use == nil }
                update(entries)
            }
        }
    }

    /// Returns the channels in use whose monitors want a kind of events without an operation.
    private static func all(wanting kinds: RequestEvent.Kinds) -> InlineList<EventChannel> {
        entries.withLock { entries in
            var found = InlineList<EventChannel>()
            for entry in entries where !entry.channel.kinds.isDisjoint(with: kinds) {
                if entry.use != nil { found.append(entry.channel) }
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
                for channel in entries.withLock({ $0.map(\.channel) }) { channel.deliver() }
                continuation.resume()
            }
        }
    }
}
