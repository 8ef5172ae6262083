// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The log of h2load, which has a line for each request: the microsecond of its start, its status, and its duration in
/// microseconds, with tabs between them.
package struct LoadLog: Equatable, Sendable {
    package let requestCount: Int
    /// The number of lines with a status other than 200.
    package let failureCount: Int
    /// The time from the first start to the last end, in seconds.
    package let wallSeconds: Double
    package let latency: LatencySummary?

    /// - Throws: a `BenchmarkError`, if a line has another form, or if there is none.
    package init(_ text: String) throws {
        var (first, last, failures) = (Int64.max, Int64.min, 0)
        var times: [Float] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: "\t")).map { Int64(Substring($0)) }
            guard fields.count >= 3, let start = fields[0], let status = fields[1], let time = fields[2] else {
                throw BenchmarkError("h2load wrote a line of another form: \(String(Substring(line)))")
            }
            (first, last) = (min(first, start), max(last, start + time))
            if status != 200 { failures += 1 }
            times.append(Float(time))
        }
        guard !times.isEmpty else { throw BenchmarkError("h2load wrote no line") }
        (requestCount, failureCount) = (times.count, failures)
        wallSeconds = max(Double(last - first), 1) / 1e6
        latency = LatencySummary(microseconds: times)
    }
}
