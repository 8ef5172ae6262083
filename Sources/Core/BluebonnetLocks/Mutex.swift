// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Files that use a lock import this module instead of Synchronization. The module is exported for the members of its
// Mutex, and for Atomic: in builds for the thread sanitizer, a file that imported both modules would have two types
// named Mutex.
@_exported public import Synchronization

#if BLUEBONNET_SANITIZED
    internal import Glibc

    /// Replaces `Synchronization.Mutex` under the thread sanitizer. The library of `Synchronization` is not
    /// instrumented, so the sanitizer would not see its locks and would report races that do not exist. See
    /// `Scripts/sanitize`.
    package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // safe: used under the lock only
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        package init(_ initialValue: consuming sending Value) {
            pthread_mutex_init(lock, nil)
            value.initialize(to: initialValue)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#else
    /// The package's lock. An alias, so that it costs as much as `Synchronization.Mutex` and is inlined like it.
    package typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif
