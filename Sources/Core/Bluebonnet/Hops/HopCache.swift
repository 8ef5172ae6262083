// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The part of the response cache in one operation: asks the cache before each hop, adds the cache's conditions to the
/// hop, decides what a response means for stored ones, and collects the changes of the cache.
///
/// Network thread only. It does not read the cache itself: a `CacheQuestion` does, on another thread if that may take
/// time. `CacheRules` decides.
final class HopCache {
    /// The response that the operation continues with, instead of a response of the server.
    enum Substitute {
        /// A stored response.
        case stored
        /// A stored response, completed by the body that follows.
        case completed
        /// None yet: the request is sent again.
        case another
    }

    private let prepared: PreparedRequest
    private let cache: any ResponseCache
    private let policy: CachePolicy
    private let shared: String
    private var rules = CacheRules()
    /// The question about the current hop; nil if the cache has no part in the hop.
    private(set) var question: CacheQuestion?
    /// The current hop, as the cache sends it; nil before the look-up, and if the cache has no part in the hop.
    private var forward: CacheForward?
    private var requestedAt = Date()
    private var wasSentAgain = false
    private var isFirstHop = true
    private var storing: CacheWork.Storing?
    private var changes: [CacheChange] = []
    /// Responses with complete bodies that are not the result.
    private var others: [(storing: CacheWork.Storing, body: Data)] = []
    /// The stored answer to read or to deliver next.
    private var answer: StoredAnswer?
    /// The bytes that arrive for the cache: the missing part of a stored body, or the body of a redirect.
    private var collected: BodyTee?
    private var missing: Range<Int64>?
    /// The bytes of a body that a stream receives.
    private var streamed: BodyTee?
    /// Whether the validation in the background ends when its changes are carried out. Until then the stored response
    /// is stale, and another request would begin another validation.
    private(set) var endsWithItsChanges = false
    /// Whether the operation has waited for an equal request.
    private var hasWaited = false
    /// Why the request would have been sent, had it not waited.
    private var reasonBeforeWait: CacheStatus.ForwardReason?
    /// The flight that this operation leads.
    private var flight: CacheFlights.Number?
    /// Called with the flight when the response turns out not to be stored.
    var whenNotStored: ((CacheFlights.Number) -> Void)?
    /// How the cache handled the last hop; nil before.
    private(set) var status: CacheStatus?
    /// How the response was obtained.
    private(set) var use: RequestEvent.CacheAnswer?

    /// Returns nil if the operation has no cache.
    static func make(for prepared: PreparedRequest) -> HopCache? {
        guard prepared.resolvedOptions.hasResponseCache else { return nil }
        return prepared.options.responseCache.map { HopCache(prepared, $0) }
    }

    private init(_ prepared: PreparedRequest, _ cache: any ResponseCache) {
        (self.prepared, self.cache, policy) = (prepared, cache, prepared.cachePolicy)
        shared = prepared.resolvedOptions.cachePartition
        rules.storesForReplay = policy == .forceCache || cache.storesForReplay
        forward = prepared.plan.revalidation
        guard let forward else { return }
        question = makeQuestion(forward.request)
    }

    /// The error of a request that must not be sent and is not in the cache.
    static let notCached = NetworkingError(
        .notCached, "the response is not in the cache, and the request's cache policy forbids loading it")

    /// Whether the operation only validates a stored response in the background.
    var isRevalidation: Bool { prepared.plan.revalidation != nil }
    /// Whether the request must not be sent.
    var mustNotSend: Bool { policy == .onlyIfCached }
}

@available(*, unavailable)
extension HopCache: Sendable {}

// MARK: - The look-up

extension HopCache {
    /// Prepares the look-up of a hop.
    ///
    /// - Returns: the question; nil if the cache has no part in the hop.
    func begin(_ hop: HopRequest) -> CacheQuestion? {
        (forward, storing, answer, collected, missing, streamed) = (nil, nil, nil, nil, nil, nil)
        question = nil
        // The adapted request is not known in advance, and a block accepts a server for its operation only.
        let isPlain = prepared.options.requestAdapters.isEmpty && prepared.blocks.serverTrust == nil
        let request = CacheRequest(hop.method, url: hop.url, headers: headers(of: hop), hasBody: hop.hasBody)
        guard isPlain || !request.isSafe else { return nil }
        question = makeQuestion(request)
        return question
    }

    private func makeQuestion(_ request: CacheRequest) -> CacheQuestion {
        let key = CacheKeyPair(partition: CachePartition.name(shared, request.headers), key: request.key)
        return CacheQuestion(
            cache: cache, key: key, request: request, policy: policy, rules: rules,
            permitsFiles: prepared.hasOutput || prepared.blocks.response != nil)
    }

    /// Returns the fields that are sent. A credential that is applied later is represented by a text that separates its
    /// user from others.
    private func headers(of hop: HopRequest) -> HeaderFields {
        var headers = hop.headers
        guard hop.carriesCredentials, let authenticator = prepared.resolvedOptions.authenticator,
            let origin = Origin(hop.url), authenticator.covers(origin), headers["Authorization"] == nil
        else { return headers }
        headers["Authorization"] = authenticator.cacheStamp
        return headers
    }

    /// Identifies equal requests; nil if others cannot wait for the response to this one.
    var flightKey: CacheFlights.Key? {
        guard let question, !hasWaited, policy == .useProtocol, question.request.canBeCollapsed else { return nil }
        return Self.key(question)
    }

    private static func key(_ question: CacheQuestion) -> CacheFlights.Key {
        CacheFlights.Key(
            cache: ObjectIdentifier(question.cache), place: question.key, headers: question.request.headers)
    }

    /// Identifies validations of one response in the background.
    var revalidationKey: CacheFlights.Key? { question.map(Self.key) }

    /// Whether others may wait for this operation: it does not wait for code of the program or for a slow consumer.
    var mayLead: Bool {
        let blocks = prepared.blocks
        return prepared.streamOutput == nil && prepared.continuation == nil && blocks.response == nil
            && blocks.challenge == nil && blocks.redirect == nil && blocks.retry == nil && !isRevalidation
            && prepared.options.maximumBytesPerSecond == nil
    }

    func lead(_ number: CacheFlights.Number?) { flight = number }

    /// Ends the part of the operation as a leader.
    ///
    /// - Returns: the flight; nil if the operation leads none.
    func leaveFlight() -> CacheFlights.Number? { flight.take() }

    /// Records that the operation has waited for an equal request.
    func recordWait() { (hasWaited, reasonBeforeWait) = (true, forward?.reason) }

    /// Sets the request of the hop.
    func setForward(_ forward: CacheForward) {
        self.forward = forward
        use = .miss
    }

    /// Sets a stored response as the answer to the hop.
    func setAnswer(_ answer: StoredAnswer, isStale: Bool) {
        var answer = answer
        use = isStale ? .stale : .hit
        if !isStale, let reasonBeforeWait {
            (answer.status.isHit, answer.status.forwardReason) = (false, reasonBeforeWait)
            answer.status.isCollapsed = true
            use = .coalesced
        }
        status = answer.status
        self.answer = answer
    }
}

// MARK: - The transfer

extension HopCache {
    /// The fields that the cache adds to the hop's request, or replaces.
    var fields: [(name: String, value: String)] {
        guard let forward else { return [] }
        return Self.conditionNames.compactMap { name in
            guard let value = forward.headers[name], value != forward.request.headers[name],
                name != "Cache-Control" || !prepared.isReloadedSilently
            else { return nil }
            return (name, value)
        }
    }

    static let conditionNames = ["If-None-Match", "If-Modified-Since", "Range", "If-Range", "Cache-Control"]

    /// Records that the hop's request is sent.
    func beginTransfer() {
        requestedAt = Date()
        (storing, answer, collected, missing, streamed) = (nil, nil, nil, nil, nil)
    }

    /// Applies the head of a response.
    ///
    /// - Parameter isPersonal: whether the request carried a credential that the partition does not name.
    /// - Returns: the response that replaces it; nil if it remains the response.
    func receive(_ head: ResponseHead, isPersonal: Bool) -> Substitute? {
        // The request is repeated with a credential, or over another connection.
        guard let forward, let question, ![401, 407, 421].contains(head.statusCode) else { return nil }
        let update = rules.update(after: head, to: forward, requestedAt: requestedAt, receivedAt: Date())
        status = update.status
        apply(update.effects, head, partition: question.key.partition, isPersonal: isPersonal)
        if storing == nil { status?.isStored = update.status.isStored && !changes.isEmpty }
        switch update.outcome {
        case .forward:
            if storing == nil, let number = flight.take() { whenNotStored?(number) }
            return nil
        case .answer(let answer):
            self.answer = answer
            use = head.statusCode == 304 ? .revalidated : .stale
            return .stored
        case .join(let answer, let missing):
            (self.answer, self.missing, use) = (answer, missing, .revalidated)
            collected = BodyTee(limit: cache.maximumBodyByteCount)
            return .completed
        case .sendAgain(let next):
            guard !wasSentAgain else { return nil }
            wasSentAgain = true
            self.forward = next
            return .another
        }
    }

    private func apply(_ effects: [CacheEffect], _ head: ResponseHead, partition: String, isPersonal: Bool) {
        for effect in effects {
            switch effect {
            case .store(let response, .stored(let id), let replaced):
                let entry = CacheEntry(response, partition: partition)
                changes.append(.store(entry, body: .stored(id), replacing: replaced))
            case .store(let response, let source, let replaced):
                guard !isPersonal, !variesByJar(response) else { continue }
                let isDecoded = prepared.options.decodesContent && !head.contentCodings.isEmpty
                storing = CacheWork.Storing(
                    response: response, source: source, replaced: replaced, isDecoded: isDecoded, head: head)
            case .refresh(let response): changes.append(.update(CacheEntry(response, partition: partition)))
            case .expire(let id): changes.append(.expire(id))
            case .remove(let id): changes.append(.remove(id))
            case .invalidate(let key): changes.append(.removeURL(key.text))
            case .invalidateGroup(let origin, let name):
                changes.append(.removeGroup(name, origin: CacheEntry.text(of: origin)))
            }
        }
    }

    /// Whether the server selects a response by cookies that the cache does not know.
    private func variesByJar(_ response: StoredResponse) -> Bool {
        prepared.options.cookieJar != nil && prepared.request.handlesCookies
            && response.headers.values(for: "Vary").contains { ResponseHead.list([$0]).contains("cookie") }
    }

    /// Returns whether a stored response answers although no response arrives: after an error of the connection, or
    /// while the origin gets no requests (RFC 5861, 4).
    func answerWithoutResponse() -> Bool {
        guard let forward, let update = rules.update(afterFailureOf: forward, now: Date()),
            case .answer(let answer) = update.outcome
        else { return false }
        (self.answer, status, use, storing) = (answer, update.status, .stale, nil)
        return true
    }

}

// MARK: - Bodies

extension HopCache {
    /// Makes the cache receive a copy of the body, because it is delivered to a stream. Nil if it would be too large
    /// for memory.
    func copyBody() -> BodyTee? {
        guard let storing else { return nil }
        let limit = min(cache.maximumBodyByteCount, prepared.options.maximumBodyByteCount)
        guard storing.head.contentLength ?? 0 <= limit else { return nil }
        streamed = BodyTee(limit: limit)
        return streamed
    }

    /// Makes the cache receive the body of a redirect, which is otherwise discarded.
    func collectDiscardedBody() {
        guard let storing, storing.head.contentCodings.isEmpty else {
            self.storing = nil
            return
        }
        collected = BodyTee(limit: Int(BodyAllowance.byteLimit))
    }

    /// Does not store the response.
    func stopStoring() { storing = nil }

    func collect(_ bytes: UnsafeRawBufferPointer) { collected?.append(bytes) }

    /// Records the end of a discarded body.
    func discardedBodyEnded(isWhole: Bool) {
        guard let storing = storing.take(), let data = collected.take()?.data, isWhole else { return }
        others.append((storing, data))
    }

    /// Returns whether the missing part of a stored body has arrived.
    var isPartComplete: Bool {
        guard let missing, let data = collected?.data else { return false }
        return data.count == missing.count
    }

    /// The work that reads the answer's body; nil if there is no answer. The work may block, unless `isQuick`.
    var reading: (isQuick: Bool, read: @Sendable () -> CacheQuestion.Found?)? {
        guard let answer, let question else { return nil }
        let part = missing.flatMap { missing in collected?.data.map { (missing.lowerBound, $0) } }
        return (question.isQuick, { part.map { question.reply(answer, adding: $1, at: $0) } ?? question.reply(answer) })
    }

    /// Records that the answer was read; nil if its body was lost.
    ///
    /// - Returns: whether the answer can be delivered. If not, the request is sent again.
    func finishReading(_ reply: CacheQuestion.Found?) -> Bool {
        defer { (answer, missing, collected) = (nil, nil, nil) }
        let part = storing.take()
        if reply != nil {
            if let part, let data = collected?.data { others.append((part, data)) }
            return true
        }
        forward = forward?.unconditional
        return false
    }

    /// Returns the changes of the cache.
    ///
    /// - Parameter isComplete: whether the transfers succeeded.
    func work(isComplete: Bool) -> CacheWork? {
        guard let question else { return nil }
        var work = CacheWork(cache: cache, partition: question.key.partition, changes: changes, others: others)
        if isComplete { (work.storing, work.streamed) = (storing, streamed?.data) }
        work.flight = flight.take()
        if isRevalidation { (work.revalidation, endsWithItsChanges) = (revalidationKey, true) }
        return work.isEmpty ? nil : work
    }

    /// Returns whether this is the first hop of a validation in the background, which is not looked up.
    func consumeRevalidation() -> Bool {
        defer { isFirstHop = false }
        return isFirstHop && isRevalidation
    }

    /// Records in the summary how the cache took part.
    func complete(_ summary: inout TransferSummary) {
        guard let status else { return }
        (summary.cacheAnswer, summary.sharedCacheStatus) = (use, Box(status))
        summary.isFromCache = summary.transferCount == 0 && use != .miss
    }
}

extension NetworkingError {
    /// Whether the server could not be reached or did not answer, so that a stored response may be used (RFC 9111,
    /// 4.2.4).
    var meansNoResponse: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .connectionLost, .notConnected: true
        case .timedOut: timeLimit != .total
        default: false
        }
    }
}
