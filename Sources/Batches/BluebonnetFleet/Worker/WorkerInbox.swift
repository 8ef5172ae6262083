// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Glibc

/// Passes events from other threads to a worker's thread, and wakes it.
final class WorkerInbox: Sendable {
    /// An event for the worker's thread.
    enum Event: Sendable {
        /// A line's operation has ended.
        case ended(WorkerHand.Serial, LineReport)
        /// A line's operation waits for its next attempt.
        case waiting(WorkerHand.Serial, length: Duration)
        /// A server asks for a pause of its origin.
        case originPaused(origin: String, length: Duration)
        /// The worker has tried to remove old batches.
        case pruned(FleetError?)
        /// The worker is to stop starting lines.
        case drain
        /// The worker is to cancel its running lines.
        case cancel
    }

    /// An eventfd that is readable while there are events.
    let descriptor: Int32
    private let events = Mutex<[Event]>([])

    init() {
        descriptor = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
        precondition(descriptor >= 0, "no descriptor is left for a worker's eventfd")
    }

    deinit { close(descriptor) }

    func post(_ event: Event) {
        let isFirst = events.withLock { events in
            events.append(event)
            return events.count == 1
        }
        if isFirst { _ = eventfd_write(descriptor, 1) }
    }

    /// Removes all events, and returns them.
    func removeAll() -> [Event] {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
        return events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
