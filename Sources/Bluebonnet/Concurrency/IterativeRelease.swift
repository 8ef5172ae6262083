// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// Lets go of objects without recursion: an object whose release lets go of the next one, and so on along a chain of a
/// hundred thousand, would need a stack as deep.
///
/// What is let go of while something is being let go of on the same thread is put on a list, which the outermost call
/// works off.
enum IterativeRelease {
    /// The list of a thread on which something is being let go of.
    private final class List {
        var items: [any Sendable] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no key is left for thread-specific data (pthread_key_create: \(code))")
        return key
    }()

    /// Lets go of what `take` gives, which has to hold the last references when it has returned.
    static func release(_ take: () -> [any Sendable]) {
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
