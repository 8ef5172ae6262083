// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation

/// Looks names up on threads of its own, which no other work ever waits for: a look-up may take half a minute. There
/// are a few threads at most, and none when there is nothing to look up.
final class NameResolver: Sendable {
    typealias Completion = @Sendable ([IPAddress]) -> Void

    static let shared = NameResolver()

    private static let threadLimit = 4
    private static let addressLimit = 16

    private struct State {
        var waiting: [(name: String, completion: Completion)] = []
        var threadCount = 0
    }

    private let state = Mutex(State())

    /// Gives a name's addresses, in the order of preference, to `completion` on one of those threads; none when the
    /// name has none or the look-up failed.
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
