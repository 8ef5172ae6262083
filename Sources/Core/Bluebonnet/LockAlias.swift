// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

#if BLUEBONNET_LOCK_ORDER && !BLUEBONNET_SANITIZED
    typealias Mutex<Value: ~Copyable> = OrderedMutex<Value>
#else
    extension Mutex where Value: ~Copyable {
        /// Other builds ignore the rank, as in the module below.
        init(_ initialValue: consuming sending Value, rank: LockRank) { self.init(initialValue) }
    }
#endif
