// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetBatch

/// The state of a fleet at one moment: the batches, the workers, the schedules, and details of some batches.
package struct FleetStatus: Sendable {
    /// A batch that is watched, with facts that are too expensive to be read for all batches.
    package struct Details: Sendable {
        package var name: String
        package var origins: [FleetOrigin]
        /// The settings; nil if this version cannot read them.
        package var settings: FleetSettings?
        /// The lines for which the most other lines wait.
        package var waits: [LineWait]
        /// The number of lines that wait for other lines, at most `StatusReading.countLimit`.
        package var blockedCount: Int
        /// The failures of the results that were examined.
        package var failures: FailureLedger
    }

    /// The newest batches, in the order in which they were submitted.
    package var batches: [FleetBatch]
    /// The number of all batches.
    package var batchCount: Int
    package var members: [FleetMember]
    /// The first schedules, sorted by name.
    package var schedules: [FleetSchedule]
    /// The number of all schedules.
    package var scheduleCount: Int
    package var details: [Details]
}

/// Failures by error code, with samples. A value that receives them step by step.
package struct FailureLedger: Sendable, Equatable {
    /// A failed line.
    package struct Sample: Sendable, Equatable, Codable {
        package let id: String
        package let message: String

        package init(id: String, message: String) { (self.id, self.message) = (id, message) }
    }

    /// The failures with one code.
    package struct Group: Sendable, Equatable {
        /// The error's code, and the status in brackets if there was an unacceptable one.
        package let code: String
        package var count = 0
        /// The first failures.
        package var samples: [Sample] = []
    }

    /// The maximum number of samples of a group.
    package static let sampleLimit = 3
    /// The maximum number of groups; further codes are counted together.
    package static let groupLimit = 32
    /// The code of the group of further codes.
    package static let otherCode = "other"
    private static let messageLimit = 300

    private var groups: [String: Group] = [:]
    /// The number of results that were examined.
    package private(set) var examinedCount = 0

    package init() {}

    /// The groups, the largest first.
    package var sortedGroups: [Group] { groups.values.sorted { ($0.count, $1.code) > ($1.count, $0.code) } }

    /// Adds failures with one code.
    package mutating func add(_ code: String, count: Int = 1, samples: [Sample]) {
        let isKnown = groups[code] != nil || groups.count < Self.groupLimit
        let key = isKnown ? code : Self.otherCode
        var group = groups.removeValue(forKey: key) ?? Group(code: key)
        group.count += count
        for sample in samples.prefix(Self.sampleLimit - group.samples.count) {
            group.samples.append(Sample(id: sample.id, message: String(sample.message.prefix(Self.messageLimit))))
        }
        groups[key] = group
    }

    /// Counts results that were examined, failed or not.
    package mutating func examine(_ count: Int) { examinedCount += count }

    /// Returns the code of a failure: `unacceptableStatus` with its status.
    package static func code(_ error: String?, status: Int?) -> String {
        guard let error else { return "unknown" }
        return error == "unacceptableStatus" ? status.map { "\(error) (\($0))" } ?? error : error
    }
}
