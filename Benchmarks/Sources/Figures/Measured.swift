// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The measurement of one contender in one round: the line of JSON that `LoadDriver` prints.
package struct Measured: Codable, Equatable, Sendable {
    package let client: Contender
    /// The number of requests in the measured part, and the number in flight.
    package let requestCount: Int
    package let concurrency: Int
    /// The number of failed requests and wrong answers, and a description of the first one.
    package let errorCount: Int
    package let firstError: String?
    /// The duration of the measured part, in seconds.
    package let wallSeconds: Double
    /// The user and system time of all threads in the measured part, in seconds.
    package let cpuSeconds: Double
    package let requestsPerSecond: Double
    /// The rate of body bytes, sent and received, in megabytes per second.
    package let megabytesPerSecond: Double
    package let cpuMicrosecondsPerRequest: Double
    /// The time from the call that starts a request to its completion handler; nil if all requests were started at
    /// once.
    package let p50Milliseconds: Double?
    package let p99Milliseconds: Double?
    /// The peak resident memory of the process (VmHWM), including the warm-up.
    package let peakResidentByteCount: Int64
    /// The number of calls of malloc, calloc, realloc and aligned variants. Nil unless requested, because counting
    /// takes time.
    package var allocationsPerRequest: Double?
    /// The number of descriptors before and after the measured part, with idle connections closed; nil unless
    /// requested.
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

/// The exact median and 99th percentile of many times, by nearest rank.
package struct LatencySummary: Equatable, Sendable {
    package let p50Milliseconds: Double
    package let p99Milliseconds: Double

    /// Returns nil for an empty array.
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
