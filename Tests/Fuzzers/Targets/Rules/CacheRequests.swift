// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// Three lines of a request (`Cache-Control`, `Range`, `If-None-Match`), followed by the values of a response's
    /// fields, one per line.
    static let cacheRequests = FuzzTarget("cache-requests") { input in
        var input = input
        var asks = HeaderFields()
        for name in ["Cache-Control", "Range", "If-None-Match"] {
            let value = input.text()
            if !value.isEmpty { asks.add(name: name, value: value) }
        }
        let url = URL(string: "http://a.example/x?a=1&b=2")!
        guard let head = try responseHead(input, url) else { return }
        let plain = CacheRequest(url: url)
        guard let stored = try storedResponse(head, plain) else { return }
        try checkTimes(stored, plain)
        try checkAnswers(stored, CacheRequest(url: url, headers: asks))
        try checkValidation(stored, CacheRequest(url: url, headers: asks), head)
    }

    private static let arrival = Date(timeIntervalSince1970: 1_800_000_000)
    private static let byteCount: Int64 = 10

    private static func responseHead(_ input: FuzzInput, _ url: URL) throws -> ResponseHead? {
        let names = [
            "Cache-Control", "Expires", "Date", "Age", "Vary", "Last-Modified", "ETag", "No-Vary-Search",
            "Cache-Groups", "Connection", "Content-Range", "Cache-Control",
        ]
        let fields = zip(names, input.lines).map { HeaderFields.Field(name: $0, value: FieldBlock.text($1)) }
        return ResponseHead(url: url, statusCode: 200, headers: HeaderFields(fields))
    }

    /// Returns the response as it is stored; nil if it is not.
    private static func storedResponse(_ head: ResponseHead, _ request: CacheRequest) throws -> StoredResponse? {
        guard case .forward(let forward) = CacheRules().decision(for: request, stored: [], now: arrival) else {
            throw FuzzFinding("without a stored response the request is not sent")
        }
        var rules = CacheRules()
        rules.storesForReplay = true
        let update = rules.update(after: head, to: forward, requestedAt: arrival - 1, receivedAt: arrival)
        guard case .store(let response, _, _)? = update.effects.first else { return nil }
        let directives = CacheDirectives(head.values(for: "Cache-Control"))
        try hold(!directives.noStore || directives.mustUnderstand, "no-store is not stored")
        try hold(response.isFor(request) && response.isSelected(by: request), "a response answers its own request")
        try hold(response.groups.allSatisfy { StructuredField.text(ofString: $0) != nil }, "groups are strings")
        try hold(response.headers["Connection"] == nil, "Connection is not stored")
        return response.ended(byteCount: byteCount, isWhole: true)
    }

    private static func checkTimes(_ stored: StoredResponse, _ request: CacheRequest) throws {
        if let lifetime = stored.times.lifetime { try hold(lifetime >= 0 && lifetime.isFinite, "\(lifetime) seconds") }
        var wasFresh = true
        for seconds in [0, 1, 60, 3600, 86_400, 1e7, 1e9, 1e12] {
            let decision = CacheRules().decision(for: request, stored: [stored], now: arrival + seconds)
            guard case .use(let answer) = decision else {
                wasFresh = false
                continue
            }
            try hold(wasFresh && !answer.isStale, "a stale response does not become fresh")
            try hold(answer.headers["Age"].flatMap { Int($0) } ?? -1 >= 0, "the answer has an age")
        }
        if case .use = CacheRules().decision(for: request, stored: [stored], now: arrival - 1) {
            throw FuzzFinding("a clock that goes back makes a response fresh")
        }
    }

    private static func checkAnswers(_ stored: StoredResponse, _ request: CacheRequest) throws {
        for policy in CachePolicy.allCases {
            let decision = CacheRules().decision(for: request, stored: [stored], policy: policy, now: arrival + 30)
            switch decision {
            case .use(let answer), .useStale(let answer, _): try checkAnswer(answer)
            case .revalidate(let forward): try hold(forward.isConditional, "a validation has a condition")
            case .forward: try hold(policy != .onlyIfCached, "onlyIfCached sends nothing")
            case .fail: break
            }
        }
    }

    private static func checkAnswer(_ answer: StoredAnswer) throws {
        try hold([200, 206, 304].contains(answer.statusCode), "\(answer.statusCode) is an answer")
        try hold((answer.statusCode == 304) == (answer.bytes == nil), "only a 304 has no body")
        if let bytes = answer.bytes {
            try hold(bytes.lowerBound >= 0 && bytes.upperBound <= byteCount, "\(bytes) are stored")
        }
        try hold(StructuredField.list([answer.status.description])?.count == 1, "the status is a member")
    }

    /// A 304 with the same fields confirms a response with a validator.
    private static func checkValidation(
        _ stored: StoredResponse, _ request: CacheRequest, _ head: ResponseHead
    ) throws {
        let decision = CacheRules().decision(for: request, stored: [stored], policy: .revalidate, now: arrival + 30)
        guard case .revalidate(let forward) = decision else { return }
        let confirmation = ResponseHead(url: head.url, statusCode: 304, headers: head.headers)
        let update = CacheRules().update(
            after: confirmation, to: forward, requestedAt: arrival + 30, receivedAt: arrival + 31)
        guard case .answer(let answer) = update.outcome else { throw FuzzFinding("the same fields confirm nothing") }
        try checkAnswer(answer)
    }
}
