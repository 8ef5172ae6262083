// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Derives the consequences of the response to a sent request.
struct CacheArrival {
    private let rules: CacheRules
    private let forward: CacheForward
    private let response: ResponseHead
    private let directives: CacheDirectives
    private let requestedAt: Date
    private let receivedAt: Date

    private var request: CacheRequest { forward.request }

    init(
        _ rules: CacheRules, _ forward: CacheForward, _ response: ResponseHead, requestedAt: Date, receivedAt: Date
    ) {
        (self.rules, self.forward, self.response) = (rules, forward, response)
        (self.requestedAt, self.receivedAt) = (requestedAt, receivedAt)
        directives = CacheDirectives(response.values(for: "Cache-Control"))
    }

    func update() -> CacheUpdate {
        if !request.isSafe { return made(.forward, CacheInvalidation.effects(of: response, to: request) + storing()) }
        switch response.statusCode {
        case 304: return validated()
        case 500, 502, 503, 504:
            let answer = rules.staleAnswer(to: forward, status: response.statusCode, now: receivedAt)
            return answer.map { made(.answer($0), []) } ?? made(.forward, storing())
        case 206: return part()
        case 416 where forward.completion != nil: return made(.sendAgain(forward.unconditional), [])
        case 200 where request.method == "HEAD": return made(.forward, headEffects())
        default: return made(.forward, storing())
        }
    }

    private func made(_ outcome: CacheOutcome, _ effects: [CacheEffect]) -> CacheUpdate {
        var status = CacheStatus(cacheName: rules.cacheName)
        (status.forwardReason, status.forwardStatus) = (forward.reason, response.statusCode)
        status.isStored = effects.contains(where: \.isStoring)
        return CacheUpdate(outcome: outcome.with(&status), effects: effects, status: status)
    }

    /// Stores the response instead of the responses that it replaces.
    private func storing() -> [CacheEffect] {
        guard forward.isStorable, let stored = admitted else { return [] }
        return [.store(stored, body: .network(offset: 0), replacing: forward.matching.map(\.id))]
    }

    private var admitted: StoredResponse? {
        CacheAdmission.admitted(
            response, to: request, directives, requestedAt: requestedAt, receivedAt: receivedAt,
            forReplay: rules.storesForReplay)
    }

    /// Returns a stored response with the fields of this one (RFC 9111, 3.2). Nil if the new fields select by other
    /// request fields, which are known for this request only.
    private func updated(_ stored: StoredResponse, isSelected: Bool) -> StoredResponse? {
        var headers = StoredFields.updated(stored.headers, by: response.headers, receivedAt: receivedAt)
        // A weak tag stays weak: the stored bytes may be another form of those with the strong tag.
        if let tag = stored.entityTag, tag.isWeak { headers["ETag"] = tag.text }
        guard let variance = CacheVariance(response: headers, request: request.headers) else { return nil }
        guard isSelected || variance.selectors.map(\.name) == stored.variance.selectors.map(\.name) else { return nil }
        return stored.with(
            headers, isSelected ? variance : stored.variance, requestedAt: requestedAt, receivedAt: receivedAt)
    }
}

extension CacheEffect {
    /// Whether the server's response is stored, or updates a stored response.
    fileprivate var isStoring: Bool {
        switch self {
        case .store, .refresh: true
        case .expire, .remove, .invalidate, .invalidateGroup: false
        }
    }
}

extension CacheOutcome {
    /// Returns the outcome with this status in its answer, and adds the time to live of the answer to the status.
    fileprivate func with(_ status: inout CacheStatus) -> CacheOutcome {
        func complete(_ answer: StoredAnswer) -> StoredAnswer {
            var answer = answer
            status.timeToLive = answer.status.timeToLive
            answer.status = status
            return answer
        }
        switch self {
        case .answer(let answer): return .answer(complete(answer))
        case .join(let answer, let missing): return .join(complete(answer), missing: missing)
        case .forward, .sendAgain: return self
        }
    }
}

// MARK: - 304 and HEAD

extension CacheArrival {
    private func validated() -> CacheUpdate {
        guard forward.isConditional else { return made(.forward, []) }  // the program's own conditions
        let confirmed = CacheValidation(response).confirmed(of: forward.validated)
        guard let used = confirmed.first(where: { $0.id == forward.selected?.id }) ?? confirmed.first else {
            // The 304 confirms the program's copy, or no stored response (RFC 9111, 4.3.3).
            return made(request.conditions.isEmpty ? .sendAgain(forward.unconditional) : .forward, [])
        }
        let isSelected = used.isSelected(by: request)
        guard let stored = updated(used, isSelected: true), let content = CacheContent(of: stored, for: request) else {
            return made(.sendAgain(forward.unconditional), [.remove(used.id)])
        }
        let answer = StoredAnswer(
            stored, content, for: request, now: receivedAt, status: CacheStatus(cacheName: rules.cacheName))
        return made(.answer(answer), effects(confirmed, used: stored, isSelected: isSelected))
    }

    private func effects(_ confirmed: [StoredResponse], used: StoredResponse, isSelected: Bool) -> [CacheEffect] {
        guard !directives.noStore else { return [.remove(used.id)] }
        let others = confirmed.filter { !isSelected || $0.id != used.id }
            .compactMap { updated($0, isSelected: false) }.map(CacheEffect.refresh)
        if isSelected { return [.refresh(used)] + others }
        var variant = used
        variant.id = 0
        return others + [.store(variant, body: .stored(of: used.id), replacing: forward.matching.map(\.id))]
    }

    /// Updates the stored responses to GET that HEAD is about. If it describes another body, they are expired.
    private func headEffects() -> [CacheEffect] {
        guard forward.isStorable, !directives.noStore else { return [] }
        let validation = CacheValidation(response)
        return forward.matching.map { stored in
            guard validation.describes(stored), let updated = updated(stored, isSelected: true) else {
                return .expire(stored.id)
            }
            return .refresh(updated)
        }
    }
}

// MARK: - Parts

extension CacheArrival {
    /// Handles a 206: the missing part of a stored response, or a part that the program asked for.
    private func part() -> CacheUpdate {
        guard case .part(let first, let last, let total)? = response.contentRange, last < .max else {
            return made(forward.completion == nil ? .forward : .sendAgain(forward.unconditional), [])
        }
        let bytes = first..<(last + 1)
        guard let (stored, missing) = forward.completion else {
            let isRequested = request.range != .none && request.range != .other
            return made(.forward, isRequested ? partEffects(bytes, total) : [])
        }
        guard bytes == missing, canBeCombined(with: stored, total: total), let whole = updated(stored, isSelected: true)
        else { return made(.sendAgain(forward.unconditional), []) }
        return joined(whole, missing, effects: directives.noStore ? [] : [adding(bytes, total, to: whole)])
    }

    private func joined(_ stored: StoredResponse, _ missing: Range<Int64>, effects: [CacheEffect]) -> CacheUpdate {
        var whole = stored
        whole.body = StoredBody(byteCount: stored.body.totalByteCount ?? 0)
        let status = CacheStatus(cacheName: rules.cacheName)
        let answer = StoredAnswer(whole, .whole, for: request, now: receivedAt, status: status)
        return made(.join(answer, missing: missing), effects)
    }

    private func partEffects(_ bytes: Range<Int64>, _ total: Int64?) -> [CacheEffect] {
        guard forward.isStorable, var stored = admitted else { return [] }
        let base = forward.matching.first { canBeCombined(with: $0, total: total) }
        guard let base, let updated = updated(base, isSelected: true) else {
            // A part does not replace a whole body that may still be current.
            guard !forward.matching.contains(where: { $0.body.isComplete && !isAnother($0) }) else { return [] }
            stored.body.announce(bytes, totalByteCount: total)
            let source = CacheBodySource.network(offset: bytes.lowerBound)
            return [.store(stored, body: source, replacing: forward.matching.map(\.id))]
        }
        return base.body.contains(bytes) ? [.refresh(updated)] : [adding(bytes, total, to: updated)]
    }

    /// Whether the validators say that a stored response is of another body.
    private func isAnother(_ stored: StoredResponse) -> Bool {
        if let tag = EntityTag(response.headers), let storedTag = stored.entityTag {
            return !tag.matchesWeakly(storedTag)
        }
        let (date, storedDate) = (response.value(for: "Last-Modified"), stored.lastModified)
        return date != nil && storedDate != nil && date != storedDate
    }

    private func adding(_ bytes: Range<Int64>, _ total: Int64?, to stored: StoredResponse) -> CacheEffect {
        var stored = stored
        stored.body.announce(bytes, totalByteCount: total)
        return .store(stored, body: .added(to: stored.id, offset: bytes.lowerBound), replacing: [stored.id])
    }

    /// Whether this part and a stored response are of the same body (RFC 9111, 3.4).
    private func canBeCombined(with stored: StoredResponse, total: Int64?) -> Bool {
        guard stored.statusCode == 200, !stored.body.isDecoded, let validator = stored.strongValidator else {
            return false
        }
        let known = stored.body.totalByteCount
        guard total == nil || known == nil || total == known else { return false }
        return validator.names(response) ?? false
    }
}
