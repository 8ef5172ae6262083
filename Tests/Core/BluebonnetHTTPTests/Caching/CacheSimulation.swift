// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

@testable import BluebonnetHTTP

/// A cache with its store, its origin and its clock, all in memory. It calls `CacheRules` as an engine would.
struct CacheSimulation {
    /// A request as the origin receives it.
    struct Sent {
        let method: String
        let url: URL
        let headers: HeaderFields
        let isBackground: Bool
    }

    /// The behaviour of the origin.
    struct Origin {
        var status = 200
        var headers: HeaderFields = [:]
        var body = "body"
        /// The bytes that arrive before the connection breaks; nil if all arrive.
        var brokenAfter: Int?
        /// No response arrives.
        var disconnects = false
        /// The seconds until the response arrives.
        var delay: TimeInterval = 0
    }

    /// The result that the program sees.
    struct Reply {
        var status = 0
        var headers: HeaderFields = [:]
        var body = ""
        var cacheStatus: CacheStatus?
        /// Whether the stored response alone answered.
        var isFromCache = false
        var isFailed = false
    }

    struct Entry {
        var response: StoredResponse
        var body: [UInt8?]
    }

    var rules = CacheRules()
    var now = Date(timeIntervalSince1970: 1_800_000_000)
    var entries: [Entry] = []
    var sent: [Sent] = []
    var origin: (Sent, Date) -> Origin = { _, _ in Origin() }
    private var lastID: Int64 = 0
    /// Whether the engine removes content codings from bodies.
    var isDecoded = false

    init(isDecoded: Bool = false) { self.isDecoded = isDecoded }

    static let url = URL(string: "http://a.example/x")!

    mutating func get(
        _ headers: HeaderFields = [:], url: URL = Self.url, method: String = "GET", policy: CachePolicy = .useProtocol,
        hasBody: Bool = false
    ) -> Reply {
        let request = CacheRequest(method, url: url, headers: headers, hasBody: hasBody)
        switch rules.decision(for: request, stored: entries.map(\.response), policy: policy, now: now) {
        case .use(let answer): return reply(answer)
        case .useStale(let answer, let revalidation):
            let reply = reply(answer)
            if let revalidation { _ = send(revalidation) }
            return reply
        case .revalidate(let forward), .forward(let forward): return send(forward)
        case .fail: return Reply(status: 504, isFailed: true)
        }
    }

    private mutating func send(_ forward: CacheForward, attempts: Int = 0) -> Reply {
        let request = forward.request
        let message = Sent(
            method: request.method, url: request.url, headers: forward.headers, isBackground: forward.isBackground)
        sent.append(message)
        let (origin, start) = (origin(message, now), now)
        now += origin.delay
        if origin.disconnects {
            guard let update = rules.update(afterFailureOf: forward, now: now) else { return Reply(isFailed: true) }
            return finish(update, origin, attempts)
        }
        let head = ResponseHead(
            url: request.url, statusCode: origin.status, headers: origin.headers, method: request.method)
        let update = rules.update(after: head, to: forward, requestedAt: start, receivedAt: now)
        return finish(update, origin, attempts, hasBody: head.hasBody(for: request.method))
    }

    private mutating func finish(
        _ update: CacheUpdate, _ origin: Origin, _ attempts: Int, hasBody: Bool = true
    ) -> Reply {
        let arrived = hasBody ? Array(origin.body.utf8.prefix(origin.brokenAfter ?? .max)) : []
        let reply: Reply
        switch update.outcome {
        case .forward:
            reply = Reply(
                status: origin.status, headers: origin.headers, body: String(decoding: arrived, as: UTF8.self),
                cacheStatus: update.status)
        case .answer(let answer): reply = self.reply(answer)
        case .join(let answer, let missing): reply = self.reply(answer, adding: arrived, at: missing.lowerBound)
        case .sendAgain(let forward):
            apply(update.effects, arrived, isWhole: origin.brokenAfter == nil)
            precondition(attempts == 0, "a request is sent again at most once")
            return send(forward, attempts: attempts + 1)
        }
        apply(update.effects, arrived, isWhole: origin.brokenAfter == nil)
        return reply
    }

    private func reply(_ answer: StoredAnswer, adding bytes: [UInt8] = [], at offset: Int64 = 0) -> Reply {
        var body = entries.first { $0.response.id == answer.stored.id }?.body ?? []
        Self.write(bytes, to: &body, at: Int(offset))
        let range = answer.bytes.map { Int($0.lowerBound)..<Int($0.upperBound) } ?? 0..<0
        return Reply(
            status: answer.statusCode, headers: answer.headers,
            body: String(decoding: body[range].map { $0 ?? UInt8(ascii: "?") }, as: UTF8.self),
            cacheStatus: answer.status, isFromCache: answer.status.isHit)
    }

    private static func write(_ bytes: [UInt8], to body: inout [UInt8?], at offset: Int) {
        while body.count < offset + bytes.count { body.append(nil) }
        for (index, byte) in bytes.enumerated() { body[offset + index] = byte }
    }
}

// MARK: - The store

extension CacheSimulation {
    private mutating func apply(_ effects: [CacheEffect], _ arrived: [UInt8], isWhole: Bool) {
        for effect in effects { apply(effect, arrived, isWhole: isWhole) }
    }

    private mutating func apply(_ effect: CacheEffect, _ arrived: [UInt8], isWhole: Bool) {
        switch effect {
        case .store(let response, let source, let replaced): store(response, source, arrived, replaced, isWhole)
        case .refresh(let response):
            for index in entries.indices where entries[index].response.id == response.id {
                entries[index].response = response
            }
        case .expire(let id):
            for index in entries.indices where entries[index].response.id == id {
                entries[index].response.isExpired = true
            }
        case .remove(let id): entries.removeAll { $0.response.id == id }
        case .invalidate(let key): entries.removeAll { $0.response.key == key }
        case .invalidateGroup(let origin, let name):
            entries.removeAll { $0.response.key.origin == origin && $0.response.groups.contains(name) }
        }
    }

    private mutating func store(
        _ response: StoredResponse, _ source: CacheBodySource, _ arrived: [UInt8], _ replaced: [Int64], _ isWhole: Bool
    ) {
        var body: [UInt8?] = []
        var stored: StoredResponse? = response
        switch source {
        case .stored(let id): body = entries.first { $0.response.id == id }?.body ?? []
        case .network(let offset):
            Self.write(arrived, to: &body, at: Int(offset))
            stored = response.ended(byteCount: Int64(arrived.count), isWhole: isWhole, isDecoded: isDecoded)
        case .added(let id, let offset):
            body = entries.first { $0.response.id == id }?.body ?? []
            Self.write(arrived, to: &body, at: Int(offset))
            stored = response.ended(byteCount: Int64(arrived.count), isWhole: isWhole, isDecoded: isDecoded)
        }
        guard var stored else { return }
        entries.removeAll { replaced.contains($0.response.id) }
        lastID += 1
        stored.id = lastID
        entries.append(Entry(response: stored, body: body))
    }
}

// MARK: - An origin with ranges

extension CacheSimulation {
    static let digits = "0123456789"

    /// Answers with a body of ten bytes, or with the requested range of it.
    static func tenBytes(
        _ sent: Sent, _ headers: HeaderFields, _ broken: Int?
    ) -> Origin {
        var headers = headers
        let isCurrent = sent.headers["If-Range"].map { $0 == headers["ETag"] || $0 == headers["Last-Modified"] } ?? true
        guard isCurrent, let bytes = RequestedRange(sent.headers).bytes(ofTotal: 10) else {
            headers["Content-Length"] = "10"
            return Origin(headers: headers, body: digits, brokenAfter: broken)
        }
        headers["Content-Length"] = "\(bytes.count)"
        headers["Content-Range"] = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/10"
        let part = Array(digits.utf8)[Int(bytes.lowerBound)..<Int(bytes.upperBound)]
        return Origin(
            status: 206, headers: headers, body: String(decoding: part, as: UTF8.self), brokenAfter: broken)
    }
}
