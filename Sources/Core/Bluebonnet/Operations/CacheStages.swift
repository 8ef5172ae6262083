// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Does the work of the cache's stages of one request: the look-up, waiting for an equal request, reading and
/// delivering a stored response, and validation in the background.
///
/// Belongs to the operation's runner; network thread only. `HopCache` decides.
final class CacheStages {
    typealias Event = RequestMachine.Event
    /// Does work on another thread; the returned closure then runs on the network thread.
    typealias Run = (_ work: @escaping @Sendable () -> @Sendable (CacheStages) -> Event) -> Event?

    private struct Wait {
        let ticket: CacheFlights.Ticket
        let began: UInt64
        let limit: NetworkTimers.Ticket?
    }

    let hopCache: HopCache
    private let prepared: PreparedRequest
    private let services: NetworkServices
    private let flights: CacheFlights
    private let track: EventTrack?
    private var wait: Wait?
    /// The stored response that is delivered next.
    private var reply: CacheQuestion.Found?

    init(
        _ hopCache: HopCache, _ prepared: PreparedRequest, _ services: NetworkServices, _ rounds: OperationRounds,
        _ track: EventTrack?
    ) {
        (self.hopCache, self.prepared, self.services) = (hopCache, prepared, services)
        (flights, self.track) = (rounds.flights, track)
        hopCache.whenNotStored = { number in
            // Later, because others may begin transfers: not within a call of the transport.
            NetworkThread.shared.submit { OperationRounds.process.value.flights.sendOthers(number) }
        }
    }

    private func recordAnswer() {
        if let track, let use = hopCache.use { track.record(.cacheAnswered(use)) }
    }
}

@available(*, unavailable)
extension CacheStages: Sendable {}

// MARK: - The look-up

extension CacheStages {
    /// Looks a hop up in the cache.
    ///
    /// - Parameter origin: the origin of the hop; nil if its URL is not http or https.
    func ask(_ hop: HopRequest, _ origin: Origin?, _ run: Run) -> Event? {
        if hopCache.consumeRevalidation() { return .notCached }
        guard let origin, let question = hopCache.begin(hop) else {
            return hopCache.mustNotSend ? .fail(HopCache.notCached) : .notCached
        }
        if question.isQuick { return answered(question.ask(), hop, origin) }
        return run {
            let result = question.ask()
            return { $0.answered(result, hop, origin) }
        }
    }

    private func answered(_ result: CacheQuestion.Result, _ hop: HopRequest, _ origin: Origin) -> Event {
        switch result {
        case .fail: return .fail(HopCache.notCached)
        case .answer(let reply, let isStale, let revalidation):
            hopCache.setAnswer(reply.answer, isStale: isStale)
            self.reply = reply
            if let revalidation { beginRevalidation(revalidation, hop) }
            recordAnswer()
            return .stored(origin)
        case .forward(let forward):
            let key = hopCache.flightKey
            hopCache.setForward(forward)
            if let key, flights.isInFlight(key) { return .inFlight }
            if let key, hopCache.mayLead { hopCache.lead(flights.lead(key)) }
            track?.record(.cacheAnswered(.miss))
            return .notCached
        }
    }

    /// Validates a stale response in the background, with a low priority.
    private func beginRevalidation(_ forward: CacheForward, _ hop: HopRequest) {
        guard let key = hopCache.revalidationKey, flights.beginRevalidation(key) else { return }
        var request = hop.request
        for name in HopCache.conditionNames where name != "Cache-Control" { request.headers[name] = nil }
        services.beginValidation(.revalidating(request, forward, options: prepared.resolvedOptions))
    }

    /// Ends the part of the operation in the cache, except its changes.
    func end() {
        guard hopCache.isRevalidation, !hopCache.endsWithItsChanges, let key = hopCache.revalidationKey else { return }
        flights.endRevalidation(key)
    }
}

// MARK: - Equal requests

extension CacheStages {
    /// Waits for an equal request, as long as the time limit allows.
    ///
    /// - Parameters:
    ///   - timeLeft: the rest of the time limit, in nanoseconds; nil without a limit.
    ///   - report: reports the event that ends the wait.
    func awaitFlight(timeLeft: UInt64?, _ report: @escaping (Event) -> Void) -> Event? {
        guard let key = hopCache.flightKey else { return .notCached }
        let ticket = flights.wait(for: key) { [weak self] release in
            if let self { report(released(release)) }
        }
        guard let ticket else { return .notCached }
        let began = services.timers.clock.now()
        let limit = timeLeft.map { timeLeft in
            services.timers.wait(until: began + min(timeLeft, .max - began)) { report(.fail(.limitPassedCoalescing)) }
        }
        wait = Wait(ticket: ticket, began: began, limit: limit)
        return nil
    }

    private func released(_ release: CacheFlights.Release) -> Event {
        switch release {
        case .lookAgain:
            hopCache.recordWait()
            return .flightEnded
        case .send: hopCache.recordWait()
        case .lead(let number) where hopCache.mayLead: hopCache.lead(number)
        case .lead(let number): flights.handOver(number, hasFailed: false)
        }
        track?.record(.cacheAnswered(.miss))
        return .notCached
    }

    /// Ends the wait.
    ///
    /// - Returns: how long it took, in nanoseconds.
    func stopWaiting() -> UInt64 {
        guard let wait = wait.take() else { return 0 }
        flights.withdraw(wait.ticket)
        if let limit = wait.limit { services.timers.withdraw(limit) }
        return services.timers.clock.now() - wait.began
    }

    /// Lets another request take over.
    func leaveFlight(hasFailed: Bool) {
        if let number = hopCache.leaveFlight() { flights.handOver(number, hasFailed: hasFailed) }
    }
}

// MARK: - Stored responses

extension CacheStages {
    /// Whether the stored response can be delivered.
    var hasReply: Bool { reply != nil }

    /// Reads the body of the stored response.
    func read(_ run: Run) -> Event? {
        guard let reading = hopCache.reading else { return .storedBodyLost }
        if reading.isQuick { return store(reading.read()) }
        return run {
            let reply = reading.read()
            return { $0.store(reply) }
        }
    }

    private func store(_ reply: CacheQuestion.Found?) -> Event {
        guard hopCache.finishReading(reply) else { return .storedBodyLost }
        self.reply = reply
        recordAnswer()
        return .storedBodyRead
    }

    /// Makes the delivery of the stored response.
    func makeTransfer(to hopSequence: HopSequence) -> StoredTransfer? {
        guard let reply = reply.take() else { return nil }
        return StoredTransfer(hopSequence.beginReplay(reply), reply.body, to: hopSequence) { [weak hopSequence] in
            hopSequence?.receiveLater()
        }
    }
}
