// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// A reference to the owner of a hop sequence. It retains the owner while the request is running, but not while the
/// request is paused: a paused operation that the program has released is released with its files. Network thread only.
final class OwnerReference {
    private var kept: (any HopSequenceOwner)?
    /// Set by the first pause, because a weak reference uses memory.
    private weak var paused: (any HopSequenceOwner)?

    init(_ owner: any HopSequenceOwner) { kept = owner }

    /// Nil after a paused owner was released.
    var owner: (any HopSequenceOwner)? { kept ?? paused }

    /// Retains the owner, because the request is running.
    func keep() { if kept == nil { kept = paused } }

    /// Stops retaining the owner, because the request is paused.
    func release() {
        if let kept { paused = kept }
        guard let release = kept.take().map({ LateRelease($0) }) else { return }
        NetworkThread.shared.submit { release.schedule() }  // after this round, whose work also has references
    }
}

@available(*, unavailable)
extension OwnerReference: Sendable {}

/// Releases objects on the queue of handlers, so that captures of the program's closures are never released on the
/// network thread.
final class LateRelease: Sendable {
    private let object: Mutex<(any Sendable)?>

    init(_ object: any Sendable) { self.object = Mutex(object) }

    /// Schedules the release. The caller must no longer reference the object.
    func schedule() {
        Queues.callbacks.async { [self] in
            let last = object.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
    }
}
