// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What one round of one contender came to: the line of JSON that `LoadDriver` prints.
package struct Measured: Codable, Equatable, Sendable {
    package let client: Contender
    /// Requests in the measured part, and how many of them could be in flight.
    package let requestCount: Int
    package let concurrency: Int
    /// Requests that failed, or whose answer was not as it had to be; what was wrong with the first.
    package let errorCount: Int
    package let firstError: String?
    /// How long the measured part took.
    package let wallSeconds: Double
    /// User and system time of all threads in the measured part.
    package let cpuSeconds: Double
    package let requestsPerSecond: Double
    /// Body bytes, sent and received, in millions a second.
    package let megabytesPerSecond: Double
    package let cpuMicrosecondsPerRequest: Double
    /// From the call that starts a request to its completion handler; absent when all were started at once.
    package let p50Milliseconds: Double?
    package let p99Milliseconds: Double?
    /// The most memory that the process had resident (VmHWM), warm-up included.
    package let peakResidentByteCount: Int64
    /// Calls of malloc, calloc, realloc and their aligned kin; absent unless asked for, as counting takes time.
    package var allocationsPerRequest: Double?
    /// Descriptors, idle connections closed, before and after the measured part; absent unless asked for.
    package var descriptorCountBefore: Int?
    package var descriptorCountAfter: Int?

    package init(
        client: Contender, requestCount: Int, concurrency: Int, errors: (count: Int, first: String?) = (0, nil),
        byteCount: Int64, wallSeconds: Double, cpuSeconds: Double, latency: LatencySummary?,
        peakResidentByteCount: Int64
    ) {
        self.client = client
        self.requestCount = requestCount
        self.concurrency = concurrency
        (errorCount, firstError) = errors
        self.wallSeconds = wallSeconds
        self.cpuSeconds = cpuSeconds
        requestsPerSecond = Double(requestCount) / wallSeconds
        megabytesPerSecond = Double(byteCount) / 1e6 / wallSeconds
        cpuMicrosecondsPerRequest = cpuSeconds * 1e6 / Double(requestCount)
        p50Milliseconds = latency?.p50Milliseconds
        p99Milliseconds = latency?.p99Milliseconds
        self.peakResidentByteCount = peakResidentByteCount
    }
}

/// The median and the 99th percentile of many times, exact: the nearest rank of the sorted values.
package struct LatencySummary: Equatable, Sendable {
    package let p50Milliseconds: Double
    package let p99Milliseconds: Double

    /// Nil when there is no value.
    package init?(microseconds: [Float]) {
        guard !microseconds.isEmpty else { return nil }
        let sorted = microseconds.sorted()
        p50Milliseconds = Self.value(at: 0.50, of: sorted)
        p99Milliseconds = Self.value(at: 0.99, of: sorted)
    }

    private static func value(at share: Double, of sorted: [Float]) -> Double {
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return Double(sorted[max(rank, 1) - 1]) / 1000
    }
}
