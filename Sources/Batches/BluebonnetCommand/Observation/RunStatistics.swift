// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Sums up a run in bounded memory: percentiles of the phases by origin, the time of each wait and phase, and the
/// critical path. A value without a clock.
struct RunStatistics: Sendable {
    /// The phases of the hops to one origin.
    struct Origin: Sendable {
        var hopCount = 0
        var phases: [TransferTimings.Phase: LatencyHistogram] = [:]

        fileprivate mutating func record(_ phases: RequestEvent.HopPhases) {
            hopCount += 1
            for (phase, duration) in phases.byPhase {
                self.phases[phase, default: .init()].record(duration.nanoseconds)
            }
        }

        fileprivate mutating func add(_ other: Origin) {
            hopCount += other.hopCount
            for (phase, histogram) in other.phases { phases[phase, default: .init()].add(histogram) }
        }
    }

    /// The time of all operations that waited for a reason, or were in a phase.
    struct Share: Sendable, Equatable {
        let name: String
        var seconds = 0.0
        var operationCount = 0
    }

    /// The largest number of origins with separate percentiles. Further origins count together.
    static let originLimit = 256
    /// The number of origins in a summary.
    static let shownOriginCount = 10

    private var origins: [String: Origin] = [:]
    private var others = Origin()
    private var waits: [WaitReason.Kind: Share] = [:]
    private var phases: [TransferTimings.Phase: Share] = [:]
    private(set) var operationCount = 0
    private(set) var operationSeconds = 0.0
    private(set) var droppedEventCount = 0
    private(set) var path = CriticalPath()

    mutating func receive(_ event: RequestEvent, of line: ObservedLine?) {
        path.receive(event, of: line)
        switch event.kind {
        case .hopEnded(let end): record(end.phases, to: event.origin ?? "")
        case .finished(let end): record(end.summary.timings)
        case .eventsDropped(let count): droppedEventCount += count
        default: break
        }
    }

    private mutating func record(_ phases: RequestEvent.HopPhases, to origin: String) {
        if origins[origin] != nil || origins.count < Self.originLimit {
            origins[origin, default: Origin()].record(phases)
        } else {
            others.record(phases)
        }
    }

    private mutating func record(_ timings: TransferTimings) {
        operationCount += 1
        operationSeconds += timings.total.inSeconds
        for (kind, duration) in timings.waits {
            waits[kind, default: Share(name: kind.rawValue)].seconds += duration.inSeconds
            waits[kind]?.operationCount += 1
        }
        for (phase, duration) in timings.phases {
            phases[phase, default: Share(name: phase.rawValue)].seconds += duration.inSeconds
            phases[phase]?.operationCount += 1
        }
    }
}

extension RunStatistics {
    /// The origins with the most hops.
    var shownOrigins: [(name: String, origin: Origin)] {
        Array(sortedOrigins.prefix(Self.shownOriginCount))
    }

    /// The other origins together; nil if there are none.
    var otherOrigins: Origin? {
        var rest = others
        for (_, origin) in sortedOrigins.dropFirst(Self.shownOriginCount) { rest.add(origin) }
        return rest.hopCount > 0 ? rest : nil
    }

    /// The time of each wait reason, the longest first.
    var waitShares: [Share] { Self.sorted(Array(waits.values)) }

    /// The time of each phase, in the order of the phases.
    var phaseShares: [Share] { TransferTimings.Phase.allCases.compactMap { phases[$0] } }

    private var sortedOrigins: [(name: String, origin: Origin)] {
        origins.map { ($0.key, $0.value) }.sorted { ($1.1.hopCount, $0.0) < ($0.1.hopCount, $1.0) }
    }

    private static func sorted(_ shares: [Share]) -> [Share] {
        shares.sorted { ($1.seconds, $0.name) < ($0.seconds, $1.name) }
    }
}
