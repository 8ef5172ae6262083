// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if BLUEBONNET_SANITIZED
    internal import Glibc

    /// Stands in for `Synchronization.Mutex` when the thread sanitizer watches: that one lives in a library that is not
    /// instrumented, so the sanitizer sees no lock and reports races where there are none. It does see this one's.
    ///
    /// A module's own type goes before an imported one of the same name, so nothing else has to know of it. The test
    /// modules compile this same file. See `Scripts/sanitize`.
    struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // safe: the value is reached under the lock only
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        init(_ initialValue: consuming sending Value) {
            pthread_mutex_init(lock, nil)
            value.initialize(to: initialValue)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#endif
