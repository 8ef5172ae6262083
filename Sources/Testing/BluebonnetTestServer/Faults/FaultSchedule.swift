// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Assigns plans to the connections through a `FaultProxy`, in the order in which they are made.
///
/// A schedule made from a seed has the same plans in every run. Print the schedule when a test fails: its description
/// contains the seed.
///
/// ```swift
/// let proxy = try await FaultProxy.start(toPort: server.port, schedule: FaultSchedule(seed: 7))
/// ```
public struct FaultSchedule: Sendable, Hashable {
    private enum Source: Sendable, Hashable {
        case plans([FaultPlan], rest: FaultPlan)
        case seed(UInt64, Limits)
    }

    /// The bounds of random plans.
    public struct Limits: Sendable, Hashable {
        /// The percentage of connections with a fault; the others are at most slow or sliced. Default 60.
        public var faultyPercentage = 60
        /// The maximum number of bytes before a fault. Small and large magnitudes are equally probable. Default
        /// 300,000.
        public var largestByteCount = 300_000
        /// The maximum time of a stall that ends. Default 0.3 s.
        public var longestStall = Duration.milliseconds(300)
        /// The maximum latency of a direction. Default 20 ms.
        public var greatestLatency = Duration.milliseconds(20)
        /// Whether a half-close may end the client's direction while the answer still passes. Default true. Some
        /// servers accept a truncated request body as complete, and answer with success.
        public var halfClosesRequests = true
        /// The number of connections, from the first, that get random plans. Later connections have no faults, so that
        /// enough retries succeed. Default nil: all connections.
        public var connectionCount: Int?

        /// Makes limits with their defaults.
        public init() {}
    }

    private let source: Source

    /// Makes a schedule that assigns the plans in order, then the plan `rest` to every further connection.
    public init(_ plans: [FaultPlan] = [], then rest: FaultPlan = FaultPlan()) { source = .plans(plans, rest: rest) }

    /// Makes a schedule of random plans, which are the same for the same seed.
    public init(seed: UInt64, limits: Limits = Limits()) { source = .seed(seed, limits) }

    /// Returns the plan of a connection by its number, from 0.
    public func plan(forConnection number: Int) -> FaultPlan {
        switch source {
        case .plans(let plans, let rest): return number < plans.count ? plans[number] : rest
        case .seed(let seed, let limits):
            if let count = limits.connectionCount, number >= count { return FaultPlan() }
            // One generator per connection, so that plans do not depend on the order of calls.
            var chance = Chance(seed: seed &* 0x2545_F491_4F6C_DD1D &+ UInt64(truncatingIfNeeded: number))
            return chance.plan(limits)
        }
    }
}

extension FaultSchedule: CustomStringConvertible {
    /// The seed, or the plans.
    public var description: String {
        switch source {
        case .plans(let plans, let rest): "faults \(plans), then \(rest)"
        case .seed(let seed, _): "faults of seed \(seed)"
        }
    }
}

/// A generator of random numbers from a seed (SplitMix64), and of plans made from them.
private struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func plan(_ limits: FaultSchedule.Limits) -> FaultPlan {
        var plan = FaultPlan()
        let isFaulty = happens(limits.faultyPercentage)
        if isFaulty && happens(8) {
            plan.isRefused = true
            return plan
        }
        plan.toServer = direction(limits)
        plan.toClient = direction(limits)
        guard isFaulty else { return plan }
        let fault = FaultPlan.Fault(kind(limits), afterByteCount: byteCount(limits.largestByteCount))
        let isOfAnswers = happens(65) || fault.kind == .halfClose && !limits.halfClosesRequests
        if isOfAnswers { plan.toClient.fault = fault } else { plan.toServer.fault = fault }
        return plan
    }

    private mutating func direction(_ limits: FaultSchedule.Limits) -> FaultPlan.Direction {
        var direction = FaultPlan.Direction()
        if happens(25) { direction.latency = time(upTo: limits.greatestLatency) }
        if happens(30) {
            // Only a hundred pieces, so that the proxy itself does not dominate the time.
            let slice = 1 + byteCount(4000)
            (direction.sliceByteCount, direction.slicedByteCount) = (slice, slice * 100)
        }
        if happens(10) { direction.bytesPerSecond = 500_000 + byteCount(5_000_000) }
        return direction
    }

    private mutating func kind(_ limits: FaultSchedule.Limits) -> FaultPlan.FaultKind {
        switch Int.random(in: 0..<100, using: &self) {
        case ..<30: .drop
        case ..<55: .reset
        case ..<70: .halfClose
        case ..<90: .stall(time(upTo: limits.longestStall))
        default: .stall(nil)
        }
    }

    private mutating func happens(_ percentage: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percentage }

    /// Returns a number of bytes of random magnitude, so that heads and handshakes are hit as often as bodies.
    private mutating func byteCount(_ largest: Int) -> Int {
        let bits = Int.bitWidth - max(largest, 1).leadingZeroBitCount
        return Int.random(in: 0...min(largest, (1 << Int.random(in: 1...bits, using: &self)) - 1), using: &self)
    }

    private mutating func time(upTo longest: Duration) -> Duration {
        longest * Double.random(in: 0...1, using: &self)
    }
}
