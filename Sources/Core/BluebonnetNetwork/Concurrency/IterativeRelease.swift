// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// Releases chains of objects without recursion: releasing a chain of a hundred thousand objects recursively would
/// overflow the stack.
///
/// A nested release on the same thread adds its objects to a list, which the outermost call empties.
package enum IterativeRelease {
    /// The objects that the outermost call on a thread still has to release.
    private final class List {
        var items: [any Sendable] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no key is left for thread-specific data (pthread_key_create: \(code))")
        return key
    }()

    /// Releases the objects that `take` returns. The returned array must contain the last references.
    package static func release(_ take: () -> [any Sendable]) {
        if let outer = pthread_getspecific(key) {
            Unmanaged<List>.fromOpaque(outer).takeUnretainedValue().items += take()
            return
        }
        let list = List()
        list.items = take()
        pthread_setspecific(key, Unmanaged.passUnretained(list).toOpaque())
        while let last = list.items.popLast() { withExtendedLifetime(last) {} }
        pthread_setspecific(key, nil)
    }
}
