// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// The channels of several monitors. They are made on first use, because options are made under locks that permit no
/// other lock. Any thread.
final class EventChannelSource: Sendable {
    private final class List: Sendable {
        let channels: [EventChannel]

        init(_ channels: [EventChannel]) { self.channels = channels }
    }

    private let monitors: [any EventMonitor]
    private let list = AtomicLazyReference<List>()

    init(_ monitors: [any EventMonitor]) { self.monitors = monitors }

    var isEmpty: Bool { monitors.isEmpty }

    var channels: [EventChannel] {
        if isEmpty { return [] }
        if let list = list.load() { return list.channels }
        return list.storeIfNil(List(EventChannels.channels(for: monitors))).channels
    }
}
