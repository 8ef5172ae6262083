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
        package var failures: [FailureGroup]
        /// The number of results that were examined, failed or not.
        package var examinedCount: Int
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
