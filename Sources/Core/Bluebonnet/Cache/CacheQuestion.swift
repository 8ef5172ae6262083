// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// One question to a cache: whether and how stored responses answer a request. A value that is passed between threads;
/// it reads the cache, which may block.
struct CacheQuestion: Sendable {
    /// A stored response that answers, with its body.
    struct Found: Sendable {
        var answer: StoredAnswer
        let body: Body
    }

    /// The bytes of an answer's body.
    enum Body: Sendable {
        case data(Data)
        /// A file with these bytes and no others.
        case file(CacheBodyFile)
    }

    /// The result of the look-up.
    enum Result: Sendable {
        /// A stored response answers. The request in `revalidation` is sent in the background.
        case answer(Found, isStale: Bool, revalidation: CacheForward?)
        /// The request is sent.
        case forward(CacheForward)
        /// The request must not be sent.
        case fail
    }

    let cache: any ResponseCache
    let key: CacheKeyPair
    let request: CacheRequest
    let policy: CachePolicy
    let rules: CacheRules
    /// Whether large bodies may be delivered from files.
    let permitsFiles: Bool

    /// Smaller bodies are delivered from memory.
    private static let smallestFile: Int64 = 128 * 1024

    /// Whether the question can be answered without waiting.
    var isQuick: Bool { cache is InMemoryResponseCache || !readsCache }

    /// Whether stored responses matter. They do not for methods other than GET and HEAD.
    private var readsCache: Bool { request.method == "GET" || request.method == "HEAD" }

    /// Looks the request up.
    func ask(now: Date = Date()) -> Result {
        var entries = readsCache ? cache.entries(for: key) : []
        while true {
            let decision = rules.decision(for: request, stored: entries.map(\.response), policy: policy, now: now)
            let answer: StoredAnswer
            switch decision {
            case .use(let stored), .useStale(let stored, _): answer = stored
            case .revalidate(let forward), .forward(let forward): return .forward(forward)
            case .fail: return .fail
            }
            guard let body = body(of: answer, in: entries) else {
                // The body was lost, or dropped by another process.
                cache.apply([.remove(answer.stored.id)])
                entries.removeAll { $0.id == answer.stored.id }
                continue
            }
            let reply = Found(answer: answer, body: body)
            guard case .useStale(_, let revalidation) = decision else {
                return .answer(reply, isStale: false, revalidation: nil)
            }
            return .answer(reply, isStale: true, revalidation: revalidation)
        }
    }

    /// Returns an answer with its body; nil if the body was lost.
    func reply(_ answer: StoredAnswer) -> Found? {
        let entry = CacheEntry(answer.stored, partition: key.partition)
        return body(of: answer, in: [entry]).map { Found(answer: answer, body: $0) }
    }

    /// Returns an answer whose body is completed by bytes at an offset; nil if the stored part was lost.
    func reply(_ answer: StoredAnswer, adding bytes: Data, at offset: Int64) -> Found? {
        guard let base = cache.entries(for: key).first(where: { $0.id == answer.stored.id }),
            let data = cache.body(of: base), Int64(data.count) == base.response.body.storedByteCount,
            let whole = answer.stored.body.joined(base.response.body, data, with: bytes, at: offset)
        else { return nil }
        return Found(answer: answer, body: .data(whole))
    }

    private func body(of answer: StoredAnswer, in entries: [CacheEntry]) -> Body? {
        guard let entry = entries.first(where: { $0.id == answer.stored.id }) else { return nil }
        let stored = entry.response.body
        if stored.storedByteCount >= Self.smallestFile, let body = body(answer.bytes ?? 0..<0, of: entry, stored) {
            return body
        }
        guard let data = cache.body(of: entry), Int64(data.count) == stored.storedByteCount else { return nil }
        guard let bytes = answer.bytes, !bytes.isEmpty else { return .data(Data()) }
        return stored.slice(bytes, of: data).map(Body.data)
    }

    /// Returns bytes of a large body without loading all of it; nil if the cache has no file, or if all of it is needed
    /// in memory.
    private func body(_ bytes: Range<Int64>, of entry: CacheEntry, _ stored: StoredBody) -> Body? {
        let isWhole = bytes.count == stored.storedByteCount
        guard permitsFiles || !isWhole, let file = cache.bodyFile(of: entry), file.byteCount == stored.storedByteCount
        else { return nil }
        if bytes.isEmpty { return .data(Data()) }
        guard let place = stored.place(of: bytes) else { return nil }
        return isWhole ? .file(file) : (try? file.contents(of: place)).map(Body.data)
    }
}

extension StoredBody {
    /// The number of stored bytes. A cache stores the ranges of a body one after the other, without the gaps.
    var storedByteCount: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    /// Returns where bytes of the body are among the stored bytes; nil if they are not stored.
    func place(of bytes: Range<Int64>) -> Range<Int64>? {
        var offset: Int64 = 0
        for range in ranges {
            if range.lowerBound <= bytes.lowerBound, bytes.upperBound <= range.upperBound {
                let start = offset + bytes.lowerBound - range.lowerBound
                return start..<(start + Int64(bytes.count))
            }
            offset += Int64(range.count)
        }
        return nil
    }

    /// Returns bytes of the body.
    ///
    /// - Parameter data: the stored ranges.
    func slice(_ bytes: Range<Int64>, of data: Data) -> Data? {
        guard let place = place(of: bytes) else { return nil }
        if place.count == data.count { return data }
        let start = data.startIndex + Int(place.lowerBound)
        return data[start..<(start + place.count)]
    }

    /// Returns the stored ranges of this body, which consists of an older one and of more bytes; nil if one of them
    /// lacks bytes.
    ///
    /// - Parameters:
    ///   - old: the older body, with its ranges in `data`.
    ///   - bytes: the bytes of the whole body that begin at `offset`.
    func joined(_ old: StoredBody, _ data: Data, with bytes: Data, at offset: Int64) -> Data? {
        var joined = Data(capacity: Int(storedByteCount))
        let new = offset..<(offset + Int64(bytes.count))
        for range in ranges {
            var position = range.lowerBound
            while position < range.upperBound {
                if new.contains(position) {
                    let end = min(new.upperBound, range.upperBound)
                    let start = bytes.startIndex + Int(position - offset)
                    joined.append(bytes[start..<(start + Int(end - position))])
                    position = end
                } else {
                    guard let source = old.ranges.first(where: { $0.contains(position) }) else { return nil }
                    let limit = min(source.upperBound, range.upperBound)
                    let end = position < new.lowerBound ? min(limit, new.lowerBound) : limit
                    guard let part = old.slice(position..<end, of: data) else { return nil }
                    joined.append(part)
                    position = end
                }
            }
        }
        return joined
    }
}
