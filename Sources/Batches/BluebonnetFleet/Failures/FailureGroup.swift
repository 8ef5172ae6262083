// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

/// The failures of a batch that have something in common.
public struct FailureGroup: Sendable, Hashable {
    /// A property by which failures are grouped.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// The error code.
        case code
        /// The status of the response.
        case status
        /// Scheme, host and port of the line's URL.
        case origin
    }

    /// One of the failures.
    public struct Sample: Sendable, Hashable {
        /// The id of the operation.
        public let id: String
        /// The message of the error.
        public let message: String
    }

    /// The error code; nil if the failures are not grouped by it, or have no code.
    public let code: String?
    /// The status; nil if the failures are not grouped by it, or if there was no response.
    public let status: Int?
    /// The origin; nil if the failures are not grouped by it, or if it is not known.
    public let origin: String?
    /// The number of failures.
    public let count: Int
    /// The first failures, in the order of the lines.
    public let samples: [Sample]
}

/// Groups failures. A value type.
struct FailureGroups {
    private struct Key: Hashable {
        var code: String?
        var status: Int?
        var origin: String?
    }

    private struct Facts: Decodable {
        struct Failure: Decodable {
            let code: String?
            let message: String?
        }

        let id: String
        let status: Int?
        let error: Failure?
    }

    private let fields: Set<FailureGroup.Field>
    private let sampleLimit: Int
    private let decoder = JSONDecoder()
    private var counts: [Key: Int] = [:]
    private var samples: [Key: [FailureGroup.Sample]] = [:]

    init(by fields: Set<FailureGroup.Field>, sampleLimit: Int) {
        (self.fields, self.sampleLimit) = (fields, sampleLimit)
    }

    mutating func add(_ result: StoredResult) throws(FleetError) {
        guard let facts = try? decoder.decode(Facts.self, from: result.line) else {
            throw FleetError(.failed, "a result in the store cannot be read")
        }
        var key = Key()
        if fields.contains(.code) { key.code = facts.error?.code }
        if fields.contains(.status) { key.status = facts.status }
        if fields.contains(.origin), !result.origin.isEmpty { key.origin = result.origin }
        counts[key, default: 0] += 1
        guard samples[key, default: []].count < sampleLimit else { return }
        samples[key, default: []].append(.init(id: facts.id, message: facts.error?.message ?? ""))
    }

    /// The groups, the largest one first.
    var groups: [FailureGroup] {
        let groups = counts.map { key, count in
            FailureGroup(
                code: key.code, status: key.status, origin: key.origin, count: count, samples: samples[key] ?? [])
        }
        return groups.sorted { one, other in
            guard one.count == other.count else { return one.count > other.count }
            return (one.code ?? "", one.status ?? 0, one.origin ?? "")
                < (other.code ?? "", other.status ?? 0, other.origin ?? "")
        }
    }
}
