// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// The monitors of some options, and their channels, which are made when the first operation is queued. Any thread.
final class EventChannelSource: Sendable {
    private let monitors: [any EventMonitor]
    private let lazyList = AtomicLazyReference<EventChannelList>()

    init(_ monitors: [any EventMonitor]) { self.monitors = monitors }

    var isEmpty: Bool { monitors.isEmpty }

    /// The channels of the monitors; nil without monitors.
    var list: EventChannelList? {
        if isEmpty { return nil }
        return lazyList.load() ?? lazyList.storeIfNil(EventChannelList(monitors))
    }
}

/// The channels of some monitors, without repetitions. A channel is in use as long as it is in a list.
final class EventChannelList: Sendable {
    let channels: [EventChannel]
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
        kinds = channels.reduce([]) { $0.union($1.kinds) }
    }

    /// Passes events to the monitors that want them.
    ///
    /// - Parameter second: an event that happened at the same time.
    func pass(_ event: RequestEvent, _ second: RequestEvent? = nil) {
        for channel in channels {
            if channel.kinds == .all {
                channel.append(event, second)
            } else {
                if channel.kinds.contains(event.kind.kinds) { channel.append(event) }
                if let second, channel.kinds.contains(second.kind.kinds) { channel.append(second) }
            }
        }
    }
}

/// Keeps a channel in use. A separate object, because an object with weak references is slow to retain, and channels are
/// retained for every event.
final class EventChannelUse: Sendable {
    let channel: EventChannel

    init(_ channel: EventChannel) { self.channel = channel }

    deinit { EventChannels.remove(ObjectIdentifier(channel.monitor)) }
}
