// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import LoadClients
import Processes

/// Runs h2load, the ceiling of the GETs: with as many connections as requests in flight over HTTP/1.1, and with one
/// connection over HTTP/2.
struct LoadGenerator {
    let url: URL
    let wire: Wire
    let concurrency: Int

    /// - Throws: a `BenchmarkError`, if h2load is not installed, or if a request failed.
    func run(count: Int, in folder: URL) throws -> Measured {
        guard let path = Spawning.find("h2load") else {
            throw BenchmarkError("h2load is not installed (on Debian and Ubuntu: the package nghttp2-client)")
        }
        let log = folder.appendingPathComponent("h2load.log")
        defer { try? FileManager.default.removeItem(at: log) }
        var peak: Int64 = 0
        var process = ChildProcess(words: [path] + options(count) + ["--log-file=\(log.path)", url.absoluteString])
        process.interval = 20
        let outcome = try process.run { id in peak = max(peak, ProcessFigures.peakResidentByteCount(of: id) ?? 0) }
        guard outcome.status == 0 else { throw BenchmarkError("h2load failed with wait status \(outcome.status)") }
        let read = try LoadLog(String(contentsOf: log, encoding: .utf8))
        guard read.failureCount == 0, read.requestCount == count else {
            throw BenchmarkError(
                "h2load: \(read.failureCount) of \(read.requestCount) requests failed, not 0 of \(count)")
        }
        return Measured(
            client: .h2load, requestCount: count, concurrency: concurrency,
            byteCount: Int64(count) * Int64(NginxServer.tinyBody.utf8.count), wallSeconds: read.wallSeconds,
            cpuSeconds: outcome.cpuSeconds, latency: read.latency, peakResidentByteCount: peak)
    }

    private func options(_ count: Int) -> [String] {
        let isHTTP2 = wire == .http2
        return [
            "-n", "\(count)", "-t", "1", "-c", isHTTP2 ? "1" : "\(concurrency)", "-m", isHTTP2 ? "\(concurrency)" : "1",
        ]
            + (isHTTP2 ? [] : ["--h1"])
    }
}
