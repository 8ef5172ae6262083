// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

/// The monitors of some options, and their channels. The channels are made when the first operation is queued: options
/// are made under locks that permit no other lock, and a monitor must not be asked under a lock. Any thread.
final class EventChannelSource: Sendable {
    private let monitors: [any EventMonitor]
    private let made = Mutex<EventChannelList?>(nil, rank: .inbox)

    init(_ monitors: [any EventMonitor]) { self.monitors = monitors }

    var isEmpty: Bool { monitors.isEmpty }

    /// Returns the channels of the monitors; nil without monitors. Not under a lock.
    func list() -> EventChannelList? {
        if isEmpty { return nil }
        if let list = made.withLock({ $0 }) { return list }
        let list = EventChannelList(monitors)
        return made.withLock { made in
            made = made ?? list
            return made
        }
    }
}

/// The channels of some monitors, without repetitions. A channel is in use as long as it is in a list.
final class EventChannelList: Sendable {
    let channels: [EventChannel]
    /// The channel, if there is one.
    private let only: EventChannel?
    /// The kinds of events that at least one monitor wants.
    let kinds: RequestEvent.Kinds
    private let uses: [EventChannelUse]

    init(_ monitors: [any EventMonitor]) {
        var uses: [EventChannelUse] = []
        for monitor in monitors where !uses.contains(where: { $0.channel.monitor === monitor }) {
            uses.append(EventChannels.use(of: monitor))
        }
        self.uses = uses
        channels = uses.map(\.channel)
        only = channels.count == 1 ? channels[0] : nil
        kinds = channels.reduce([]) { $0.union($1.kinds) }
    }

    /// Passes an event to the monitors that want it.
    @inline(__always)
    func pass(_ event: consuming RequestEvent) {
        if let only {
            if kinds.contains(event.kind.kinds) { only.append(event) }
        } else {
            passToAll(event)
        }
    }

    /// Passes two events that happened at the same time to the monitors that want them.
    @inline(__always)
    func pass(_ first: consuming RequestEvent, _ second: consuming RequestEvent) {
        if let only, kinds == .all { return only.append(first, second) }
        pass(first)
        pass(second)
    }

    private func passToAll(_ event: RequestEvent) {
        for channel in channels where channel.kinds.contains(event.kind.kinds) { channel.append(event) }
    }
}

/// Keeps a channel in use. A separate object, because an object with weak references is slow to retain, and channels
/// are retained for every event.
final class EventChannelUse: Sendable {
    let channel: EventChannel

    init(_ channel: EventChannel) { self.channel = channel }

    deinit { EventChannels.end(channel) }
}
