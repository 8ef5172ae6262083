// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The requests of the process that others wait for: equal requests in one partition of a cache wait for one transfer
/// (RFC 9111, 4). Network thread only.
///
/// The first of several equal requests leads. When its response is stored, the others look in the cache again. When it
/// fails, is paused or is cancelled, another one takes over. When its response turns out not to be stored, or two
/// leaders have failed, the others are sent.
final class CacheFlights {
    typealias Number = Int

    /// Identifies equal requests.
    struct Key: Hashable {
        let cache: ObjectIdentifier
        let place: CacheKeyPair
        let headers: HeaderFields
    }

    /// How waiting for a flight ends.
    enum Release {
        /// The response may be stored now.
        case lookAgain
        /// The request takes over.
        case lead(Number)
        case send
    }

    /// One request that waits for another.
    struct Ticket {
        fileprivate let flight: Number
        fileprivate let waiter: Int
    }

    private struct Flight {
        let key: Key
        var waiters: [(number: Int, release: (Release) -> Void)] = []
        var failureCount = 0
    }

    private var flights: [Number: Flight] = [:]
    private var numbers: [Key: Number] = [:]
    private var lastNumber = 0
    /// The requests that are validated in the background.
    private var revalidations: Set<Key> = []

    /// After this number of leaders has failed, the others no longer wait.
    private static let failureLimit = 2

    /// Begins a flight that others may wait for; nil if there is one.
    func lead(_ key: Key) -> Number? {
        guard numbers[key] == nil else { return nil }
        lastNumber += 1
        numbers[key] = lastNumber
        flights[lastNumber] = Flight(key: key)
        return lastNumber
    }

    /// Whether there is a request to wait for.
    func isInFlight(_ key: Key) -> Bool { numbers[key] != nil }

    /// Waits for a flight; nil if there is none.
    ///
    /// - Parameter release: called once, unless the ticket is withdrawn.
    func wait(for key: Key, _ release: @escaping (Release) -> Void) -> Ticket? {
        guard let number = numbers[key] else { return nil }
        lastNumber += 1
        flights[number]?.waiters.append((lastNumber, release))
        return Ticket(flight: number, waiter: lastNumber)
    }

    func withdraw(_ ticket: Ticket) { flights[ticket.flight]?.waiters.removeAll { $0.number == ticket.waiter } }

    /// Ends a flight whose response is stored.
    func end(_ number: Number) { releaseAll(number, .lookAgain) }

    /// Ends a flight whose response is not stored.
    func sendOthers(_ number: Number) { releaseAll(number, .send) }

    /// Lets another request take over.
    ///
    /// - Parameter hasFailed: whether the leader has failed, rather than stopped.
    func handOver(_ number: Number, hasFailed: Bool) {
        guard var flight = flights[number] else { return }
        if hasFailed { flight.failureCount += 1 }
        guard flight.failureCount < Self.failureLimit, !flight.waiters.isEmpty else { return sendOthers(number) }
        let next = flight.waiters.removeFirst()
        flights[number] = flight
        next.release(.lead(number))
    }

    private func releaseAll(_ number: Number, _ release: Release) {
        guard let flight = flights.removeValue(forKey: number) else { return }
        numbers[flight.key] = nil
        for waiter in flight.waiters { waiter.release(release) }
    }

    /// Begins a validation in the background. Returns false if the response is being validated.
    func beginRevalidation(_ key: Key) -> Bool { revalidations.insert(key).inserted }

    func endRevalidation(_ key: Key) { revalidations.remove(key) }
}

@available(*, unavailable)
extension CacheFlights: Sendable {}
