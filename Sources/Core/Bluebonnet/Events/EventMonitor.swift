// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Receives the steps of operations, as values.
///
/// ```swift
/// final class Counter: EventMonitor {
///     let count = Atomic(0)
///
///     func receive(_ events: [RequestEvent]) {
///         count.wrappingAdd(events.count, ordering: .relaxed)
///     }
/// }
///
/// let counter = Counter()
/// manager.eventMonitors = [counter]
/// ```
///
/// Set monitors on a manager (`eventMonitors`), on a session's configuration, and on single operations
/// (`addEventMonitor(_:)`); an operation reports to all of them.
public protocol EventMonitor: AnyObject, Sendable {
    /// The kinds of events that the monitor wants; default `.all`. Each kind that is left out makes requests faster.
    ///
    /// Return a constant. Read on any thread, once for the options of operations with the monitor.
    var kinds: RequestEvent.Kinds { get }

    /// Receives events in the order in which they happened.
    ///
    /// Called on a serial queue of the library, `org.bluebonnet.events`, never on the network thread, and never for two
    /// batches at once. Events arrive in batches, usually within 20 milliseconds. If the method is slow, up to 65,536
    /// events wait for it; further events are dropped, and an event `eventsDropped` reports how many.
    func receive(_ events: [RequestEvent])
}

extension EventMonitor {
    public var kinds: RequestEvent.Kinds { .all }
}
