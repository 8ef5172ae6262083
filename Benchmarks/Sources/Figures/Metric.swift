// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A metric of a measurement, under its name in tables and reports.
package enum Metric: String, Codable, CaseIterable, Sendable {
    case requestsPerSecond, megabytesPerSecond, wallSeconds, cpuMicrosecondsPerRequest, cpuSeconds
    case p50Milliseconds, p99Milliseconds, peakResidentMebibytes, allocationsPerRequest

    /// Returns the value in a measurement; nil if it was not measured.
    package func value(of measurement: Measured) -> Double? {
        switch self {
        case .requestsPerSecond: measurement.requestsPerSecond
        case .megabytesPerSecond: measurement.megabytesPerSecond
        case .wallSeconds: measurement.wallSeconds
        case .cpuMicrosecondsPerRequest: measurement.cpuMicrosecondsPerRequest
        case .cpuSeconds: measurement.cpuSeconds
        case .p50Milliseconds: measurement.p50Milliseconds
        case .p99Milliseconds: measurement.p99Milliseconds
        case .peakResidentMebibytes: Double(measurement.peakResidentByteCount) / 1_048_576
        case .allocationsPerRequest: measurement.allocationsPerRequest
        }
    }

    /// The heading in a table, with the unit.
    package var title: String {
        switch self {
        case .requestsPerSecond: "requests/s"
        case .megabytesPerSecond: "MB/s"
        case .wallSeconds: "time, s"
        case .cpuMicrosecondsPerRequest: "CPU µs each"
        case .cpuSeconds: "CPU, s"
        case .p50Milliseconds: "p50 ms"
        case .p99Milliseconds: "p99 ms"
        case .peakResidentMebibytes: "peak MiB"
        case .allocationsPerRequest: "allocations each"
        }
    }

    /// The number of decimals.
    package var fractionDigits: Int {
        switch self {
        case .requestsPerSecond, .megabytesPerSecond: 0
        case .cpuMicrosecondsPerRequest, .peakResidentMebibytes, .allocationsPerRequest: 1
        case .wallSeconds, .cpuSeconds, .p50Milliseconds, .p99Milliseconds: 2
        }
    }
}
