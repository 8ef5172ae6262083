// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

#if !BLUEBONNET_SANITIZED
    /// The tests' own locks have no rank in the library's lock order, which the library's own `Mutex` checks in debug
    /// builds.
    typealias Mutex<Value: ~Copyable> = BluebonnetLocks.Mutex<Value>
#endif
