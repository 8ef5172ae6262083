// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Tracing

/// Spans that an adapter has begun and whose hops have not been reported yet. A value without a clock.
///
/// A span is found by the fields that were injected into its request. A span without injected fields is found by the
/// method and the URL of its request; equal requests are confused then, and so are their spans.
struct PendingSpans {
    struct Pending {
        let span: any Span
        let parent: ServiceContext
        let trace: OperationTrace?
        /// When the span was begun: an instant of the caller's clock.
        let begin: ContinuousClock.Instant
    }

    /// How long a hop may take to begin after its adapters. It begins at once unless the operation is cancelled.
    static let patience = Duration.seconds(60)
    private static let limit = 10_000

    private var waiting: [String: [Pending]] = [:]
    private var fieldNames: Set<[String]> = []
    private(set) var count = 0

    /// Stores a span, and returns the spans that are too many.
    mutating func add(
        _ pending: Pending, fields: [(name: String, value: String)], method: String, url: String
    ) -> [Pending] {
        let fields = fields.map { (name: $0.name.lowercased(), value: $0.value) }.sorted { $0.name < $1.name }
        // An instrument that makes up names is not followed.
        if fieldNames.count < 16, !fields.isEmpty { fieldNames.insert(fields.map(\.name)) }
        let key = fields.isEmpty ? Self.key(method, url) : Self.key(fields)
        waiting[key, default: []].append(pending)
        count += 1
        guard count > Self.limit else { return [] }
        // The oldest tenth, so that the next calls need not search.
        let begins = waiting.values.flatMap { $0.map(\.begin) }.sorted()
        return removeAll(begunBefore: begins[Self.limit / 10])
    }

    /// Removes and returns the span of a hop; nil if no adapter has begun one.
    mutating func remove(headers: [(name: String, value: String)], method: String, url: String) -> Pending? {
        guard count > 0 else { return nil }
        for names in fieldNames {
            let fields = names.compactMap { name in
                headers.first { $0.name.lowercased() == name }.map { (name: name, value: $0.value) }
            }
            if fields.count == names.count, let pending = remove(Self.key(fields)) { return pending }
        }
        return remove(Self.key(method, url))
    }

    /// Removes and returns the spans whose hops will not come.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Pending] {
        removeAll(begunBefore: now - Self.patience)
    }

    /// Removes and returns all spans, or the older ones.
    mutating func removeAll(begunBefore instant: ContinuousClock.Instant? = nil) -> [Pending] {
        var removed: [Pending] = []
        for (key, list) in waiting {
            let kept = instant.map { instant in list.filter { $0.begin >= instant } } ?? []
            guard kept.count < list.count else { continue }
            removed += instant.map { instant in list.filter { $0.begin < instant } } ?? list
            waiting[key] = kept.isEmpty ? nil : kept
        }
        count -= removed.count
        return removed
    }

    private mutating func remove(_ key: String) -> Pending? {
        guard var list = waiting[key], !list.isEmpty else { return nil }
        let first = list.removeFirst()
        waiting[key] = list.isEmpty ? nil : list
        count -= 1
        return first
    }

    private static func key(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    private static func key(_ method: String, _ url: String) -> String { "\(method) \(url)" }
}
