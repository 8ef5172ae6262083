// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Figures
import HeapFigures

/// Runs one client's part of one round in this process: warms the client up, measures, and returns the measurement.
package struct LoadSession: Sendable {
    private let client: Contender
    var job: Job
    private let warmUp: Job?
    /// A PEM file of the authorities to trust instead of the system's.
    private let authorityFile: String?
    var parts = ManagerParts()
    var countsAllocations = false
    var countsDescriptors = false

    package init(client: Contender, job: Job, warmUp: Job? = nil, authorityFile: String? = nil) {
        self.client = client
        self.job = job
        self.warmUp = warmUp
        self.authorityFile = authorityFile
    }

    /// Runs the session.
    ///
    /// - Throws: a `BenchmarkError`, if the client could not begin, or failed during the warm-up.
    package func run() throws -> Measured {
        let client = try client.makeClient(job.limits, authorityFile: authorityFile, parts: parts)
        try warmUp(client)
        let descriptorsBefore = descriptorCount(client)
        let ledger = Ledger(requestCount: job.requestCount)
        if countsAllocations { heap_start_counting() }
        let (began, cpuBefore) = (Moment.now, ProcessFigures.cpuSeconds)
        try client.run(job, ledger)
        let (wall, cpu) = (began.microsecondsAgo / 1e6, ProcessFigures.cpuSeconds - cpuBefore)
        let allocationCount = countsAllocations ? heap_stop_counting() : nil
        // The times of failed or unsent requests are meaningless.
        let hasLatency = ledger.outcome.count == 0 && client.measuresLatency(of: job)
        var measurement = Measured(
            client: self.client, requestCount: job.requestCount, concurrency: job.concurrency, errors: ledger.outcome,
            byteCount: byteCount, wallSeconds: wall, cpuSeconds: cpu,
            latency: hasLatency ? ledger.latency : nil,
            peakResidentByteCount: try ProcessFigures.peakResidentByteCount())
        measurement.allocationsPerRequest = allocationCount.map { Double($0) / Double(job.requestCount) }
        measurement.descriptorCountBefore = descriptorsBefore
        measurement.descriptorCountAfter = descriptorCount(client)
        return measurement
    }

    private func warmUp(_ client: any LoadClient) throws {
        guard let warmUp else { return }
        let ledger = Ledger(requestCount: warmUp.requestCount)
        try client.run(warmUp, ledger)
        if let fault = ledger.outcome.first { throw BenchmarkError("\(self.client.title), warming up: \(fault)") }
    }

    /// The number of body bytes in both directions. Answers count only if their length is known.
    private var byteCount: Int64 {
        Int64(job.requestCount) * ((job.expectedByteCount ?? 0) + job.body.byteCount)
    }

    private func descriptorCount(_ client: any LoadClient) -> Int? {
        guard countsDescriptors, client.closeIdleConnections() else { return nil }
        return ProcessFigures.descriptorCount
    }
}
