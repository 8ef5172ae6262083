// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension RequestOperationManager {
    /// The counts of the manager's operations, and its load at this moment. Cheap enough to be read every second:
    /// counts are kept all the time, and the rest takes a time that grows with the number of origins, connections and
    /// waiting operations. Percentiles cover the transfers since the first read, and the last minute at most.
    ///
    /// Any thread. The calling task is suspended until the network thread has answered, usually within a millisecond.
    public var statistics: ManagerStatistics {
        get async {
            let queued = operationQueue.operationCount
            return await NetworkThread.shared.answer { [services] in
                var statistics = services.counters.statistics
                statistics.queuedCount = queued
                statistics.inFlightCount = services.scheduler.runningCount
                statistics.origins = services.originStatistics
                return statistics
            }
        }
    }
}

extension NetworkServices {
    /// Network thread only.
    fileprivate var originStatistics: [OriginStatistics] {
        var origins: [Origin: OriginStatistics] = [:]
        for (origin, histogram) in latencies.histograms(now: MonotonicClock.now()) where histogram.count > 0 {
            origins[origin, default: OriginStatistics(origin)].setLatencies(histogram)
        }
        for (origin, runningCount) in scheduler.origins.runningCounts {
            origins[origin, default: OriginStatistics(origin)].inFlightCount = runningCount
        }
        for origin in scheduler.origins.all {
            let waitingCount = scheduler.waitingCount(for: origin)
            if waitingCount > 0 { origins[origin, default: OriginStatistics(origin)].waitingCount = waitingCount }
        }
        for (origin, isIdle) in transport.connections {
            origins[origin, default: OriginStatistics(origin)].openConnectionCount += 1
            if isIdle { origins[origin]?.idleConnectionCount += 1 }
        }
        return origins.values.sorted { $0.origin < $1.origin }
    }
}

extension OriginStatistics {
    fileprivate init(_ origin: Origin) { self.init(origin: "\(origin)") }

    fileprivate mutating func setLatencies(_ histogram: LatencyHistogram) {
        recentTransferCount = histogram.count
        p50 = histogram.percentile(0.5).map(Duration.nanoseconds)
        p95 = histogram.percentile(0.95).map(Duration.nanoseconds)
        p99 = histogram.percentile(0.99).map(Duration.nanoseconds)
    }
}
