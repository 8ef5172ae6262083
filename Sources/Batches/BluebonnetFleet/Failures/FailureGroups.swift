// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Groups failures, and keeps the first samples of each group. A value type.
package struct FailureGroups: Sendable {
    /// The values that the failures of a group have in common. A value by which they are not grouped, or that they do
    /// not have, is nil.
    package struct Key: Sendable, Hashable {
        var code: String?
        var status: Int?
        var origin: String?

        /// The key on pages and in reports: the code, and the status if it was not accepted.
        package static func shown(code: String?, status: Int?) -> Key {
            Key(code: code, status: code == "unacceptableStatus" ? status : nil)
        }
    }

    private struct Group {
        var count = 0
        var samples: [FailureGroup.Sample] = []
    }

    /// The code of the group that counts failures beyond the maximum number of groups.
    static let otherCode = "other"
    // The limits of pages and reports.
    static let shownGroupLimit = 32
    static let shownTextLimit = 300
    package static let shownSampleLimit = 3

    private let sampleLimit: Int
    private let groupLimit: Int
    private let textLimit: Int
    private var known: [Key: Group] = [:]

    /// Creates a value without failures.
    ///
    /// - Parameters:
    ///   - sampleLimit: the maximum number of samples in a group.
    ///   - groupLimit: the maximum number of groups. Failures of further groups are counted together in one more.
    ///   - textLimit: the maximum number of characters in a sample's id and in its message.
    init(sampleLimit: Int, groupLimit: Int = .max, textLimit: Int = .max) {
        (self.sampleLimit, self.groupLimit, self.textLimit) = (sampleLimit, groupLimit, textLimit)
    }

    /// Creates a value of bounded size, for a page or a report.
    package init(shownSampleLimit: Int = FailureGroups.shownSampleLimit) {
        self.init(
            sampleLimit: shownSampleLimit, groupLimit: Self.shownGroupLimit, textLimit: Self.shownTextLimit)
    }

    /// The groups, the largest one first.
    package var groups: [FailureGroup] {
        let groups = known.map { key, group in
            FailureGroup(
                code: key.code, status: key.status, origin: key.origin, count: group.count, samples: group.samples)
        }
        return groups.sorted { one, other in
            guard one.count == other.count else { return one.count > other.count }
            return (one.code ?? "", one.status ?? 0, one.origin ?? "")
                < (other.code ?? "", other.status ?? 0, other.origin ?? "")
        }
    }

    /// Adds failures of one group.
    ///
    /// - Parameters:
    ///   - count: the number of failures. Default 1.
    ///   - samples: the first failures. Not evaluated if the group has enough samples.
    package mutating func add(_ key: Key, count: Int = 1, samples: @autoclosure () -> [FailureGroup.Sample]) {
        let isKnown = known[key] != nil || known.count < groupLimit
        let place = isKnown ? key : Key(code: Self.otherCode)
        var group = known.removeValue(forKey: place) ?? Group()
        group.count += count
        let room = sampleLimit - group.samples.count
        if room > 0 {
            for sample in samples().prefix(room) {
                group.samples.append(.init(id: start(of: sample.id), message: start(of: sample.message)))
            }
        }
        known[place] = group
    }

    /// Returns the start of a text, with "…" if it was cut.
    private func start(of text: String) -> String {
        let start = text.prefix(textLimit)
        return start.endIndex == text.endIndex ? text : start + "…"
    }
}

// MARK: - Results in a store

extension FailureGroups {
    private struct Facts: Decodable {
        struct Failure: Decodable {
            let code: String?
            let message: String?
        }

        let id: String
        let status: Int?
        let error: Failure?
    }

    /// Adds a failure to the group of the failures with the same values of some fields.
    mutating func add(_ result: StoredResult, by fields: Set<FailureGroup.Field>) throws(FleetError) {
        guard let facts = try? JSONDecoder().decode(Facts.self, from: result.line) else {
            throw FleetError(.failed, "a result in the store cannot be read")
        }
        var key = Key()
        if fields.contains(.code) { key.code = facts.error?.code }
        if fields.contains(.status) { key.status = facts.status }
        if fields.contains(.origin), !result.origin.isEmpty { key.origin = result.origin }
        add(key, samples: [.init(id: facts.id, message: facts.error?.message ?? "")])
    }
}
