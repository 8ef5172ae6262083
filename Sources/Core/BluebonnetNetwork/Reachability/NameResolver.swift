// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation

/// Looks up names on dedicated threads, so that a lookup, which may take half a minute, delays no other work. There
/// are at most four threads, and no thread while there is nothing to look up.
final class NameResolver: Sendable {
    typealias Completion = @Sendable ([IPAddress]) -> Void

    static let shared = NameResolver()

    private static let threadLimit = 4
    private static let addressLimit = 16

    /// The state that the lock protects.
    private struct State {
        var waiting: [(name: String, completion: Completion)] = []
        var threadCount = 0
    }

    private let state = Mutex(State())

    /// Looks up a name and passes its addresses, in order of preference, to `completion` on one of the threads. The
    /// array is empty if the name has no addresses or the lookup failed.
    func resolve(_ name: String, completion: @escaping Completion) {
        let needsThread = state.withLock { state in
            state.waiting.append((name, completion))
            guard state.threadCount < Self.threadLimit else { return false }
            state.threadCount += 1
            return true
        }
        guard needsThread else { return }
        Thread { [self] in work() }.start()
    }

    private func work() {
        bluebonnet_set_thread_name("bluebonnet.dns")
        while let (name, completion) = next() { completion(Self.addresses(of: name)) }
    }

    private func next() -> (name: String, completion: Completion)? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.threadCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private static func addresses(of name: String) -> [IPAddress] {
        var found = [bluebonnet_address](repeating: bluebonnet_address(), count: addressLimit)
        var count: UInt32 = 0
        guard bluebonnet_resolve(name, &found, UInt32(addressLimit), &count) == 0 else { return [] }
        return found.prefix(Int(count)).compactMap { IPAddress($0) }
    }
}
