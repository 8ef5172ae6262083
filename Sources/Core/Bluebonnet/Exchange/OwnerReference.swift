// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// A reference to the owner of an exchange. It keeps the owner while the request is under way, but not while the
/// request is paused: a paused operation that the program has released is released with its files. Network thread only.
final class OwnerReference {
    private var kept: (any ExchangeOwner)?
    /// Set with the first pause: a weak reference costs memory.
    private weak var paused: (any ExchangeOwner)?

    init(_ owner: any ExchangeOwner) { kept = owner }

    /// Nil once a paused owner was released.
    var owner: (any ExchangeOwner)? { kept ?? paused }

    /// The request is under way.
    func keep() { if kept == nil { kept = paused } }

    /// The request is paused.
    func release() {
        if let kept { paused = kept }
        guard let release = kept.take().map({ LateRelease($0) }) else { return }
        NetworkThread.shared.submit { release.schedule() }  // after this round, whose work has references too
    }
}

@available(*, unavailable)
extension OwnerReference: Sendable {}

/// Releases objects on the queue of handlers: what closures of the user's hold is never released on the network thread.
final class LateRelease: Sendable {
    private let object: Mutex<(any Sendable)?>

    init(_ object: any Sendable) { self.object = Mutex(object) }

    /// The caller has no reference to the object any more.
    func schedule() {
        Queues.callbacks.async { [self] in
            let last = object.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
    }
}
