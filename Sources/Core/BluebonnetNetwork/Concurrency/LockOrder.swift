// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Glibc

/// The rank of a lock in the lock order; the page "Locks and waits" gives the reasons. A lock without a rank is a leaf:
/// while a thread holds a leaf, it acquires no other lock.
package enum LockRank: UInt, Sendable {
    case leaf = 1
    /// A queue of work for another thread. The work is submitted under another lock, so that it arrives in the order of
    /// the changes under that lock.
    case inbox
    case operation
    case reachability
    /// The events of an operation: they are passed on under the lock, so that they arrive in their order.
    case events

    /// Returns whether a thread that holds this lock may acquire a lock of the other rank.
    func permits(_ inner: LockRank) -> Bool {
        switch self {
        case .leaf, .inbox: false
        case .operation: inner == .inbox || inner == .events
        case .reachability, .events: inner == .inbox
        }
    }
}

#if BLUEBONNET_LOCK_ORDER && !BLUEBONNET_SANITIZED
    /// A lock that checks the lock order, for debug builds, which define this flag. A module's own type takes
    /// precedence over an imported type of the same name; release builds use `Synchronization.Mutex` itself.
    package struct OrderedMutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: BluebonnetLocks.Mutex<Value>
        private let rank: LockRank

        package init(_ initialValue: consuming sending Value, rank: LockRank = .leaf) {
            mutex = BluebonnetLocks.Mutex(initialValue)
            self.rank = rank
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            HeldLocks.acquire(rank)
            defer { HeldLocks.release() }
            return try mutex.withLock(body)
        }
    }

    /// Each module that checks the order has such an alias: its own type takes precedence over an imported one.
    typealias Mutex<Value: ~Copyable> = OrderedMutex<Value>

    /// The ranks of the locks that the calling thread holds, the last acquired in the lowest byte.
    enum HeldLocks {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            precondition(pthread_key_create(&key, nil) == 0, "no key is left for values of threads")
            return key
        }()

        private static var ranks: UInt {
            get { UInt(bitPattern: pthread_getspecific(key)) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }

        /// Traps if the lock order does not permit the lock under the last acquired lock.
        static func acquire(_ rank: LockRank) {
            let acquired = ranks
            if let last = LockRank(rawValue: acquired & 0xFF) {
                precondition(last.permits(rank), "a lock of rank \(rank) was taken under one of rank \(last)")
            }
            ranks = acquired << 8 | rank.rawValue
        }

        static func release() { ranks >>= 8 }
    }
#else
    extension Mutex where Value: ~Copyable {
        /// Other builds ignore the rank: release builds, and builds for the thread sanitizer, which detects lock cycles
        /// itself.
        init(_ initialValue: consuming sending Value, rank: LockRank) { self.init(initialValue) }
    }
#endif
