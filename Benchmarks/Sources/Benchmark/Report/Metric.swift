// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A figure that is worked out from each round.
struct Metric: Sendable {
    /// Its name in JSON.
    let name: String
    /// Its name in the table, with the unit.
    let title: String
    var fractionDigits = 0
    /// Whether Bluebonnet's figure is set in relation to libcurl's.
    var isCompared = false
    let value: @Sendable (Sample) -> Double
}

extension Metric {
    static let requestRate = Metric(name: "requestsPerSecond", title: "requests/s", isCompared: true) {
        Double($0.measured.requestCount) / $0.measured.wallSeconds
    }

    static let cpuPerRequest = Metric(
        name: "cpuMicrosecondsPerRequest", title: "CPU µs a request", fractionDigits: 1, isCompared: true
    ) { $0.measured.cpuSeconds * 1e6 / Double($0.measured.requestCount) }

    static let byteRate = Metric(name: "megabytesPerSecond", title: "MB/s", isCompared: true) {
        Double($0.measured.byteCount) / 1e6 / $0.measured.wallSeconds
    }

    static let wall = Metric(name: "wallSeconds", title: "time, s", fractionDigits: 3) { $0.measured.wallSeconds }

    static let cpu = Metric(name: "cpuSeconds", title: "CPU, s", fractionDigits: 3, isCompared: true) {
        $0.measured.cpuSeconds
    }

    static let peakMemory = Metric(name: "peakResidentMebibytes", title: "peak memory, MiB", fractionDigits: 1) {
        Double($0.measured.peakResidentByteCount) / 1_048_576
    }

    static let threads = Metric(name: "maximumThreadCount", title: "threads, most seen") {
        Double($0.threads?.maximum ?? 0)
    }

    static let networkThreads = Metric(name: "networkThreadCount", title: "network threads") {
        Double($0.threads?.ownCount ?? 0)
    }

    static let descriptorsBefore = Metric(name: "descriptorCountBefore", title: "descriptors before") {
        Double($0.measured.descriptorCountBefore ?? 0)
    }

    static let descriptorsAfter = Metric(name: "descriptorCountAfter", title: "descriptors after") {
        Double($0.measured.descriptorCountAfter ?? 0)
    }
}
