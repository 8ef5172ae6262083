// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Which plan each connection through a `FaultProxy` gets, in the order in which connections are made.
///
/// A schedule made from a seed gives the same plans in every run. Print the schedule when a test fails: its
/// description has the seed.
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
        /// The number of connections of a hundred that have a fault; the others are slow or sliced at most. Default 60.
        public var faultyPercentage = 60
        /// The most bytes before a fault. Small numbers are as probable as large ones. Default 300,000.
        public var largestByteCount = 300_000
        /// The longest stall that ends. Default 0.3 s.
        public var longestStall = Duration.milliseconds(300)
        /// The greatest latency of a direction. Default 20 ms.
        public var greatestLatency = Duration.milliseconds(20)
        /// Whether a half-close may end what the client sends, while the answer still passes. Default true. Some
        /// servers take a request whose body is cut short for a whole one, and answer it with success.
        public var halfClosesRequests = true
        /// The number of connections from the first on that get random plans; later ones are unchanged, so that who
        /// tries often enough succeeds. Default nil: all.
        public var connectionCount: Int?

        /// The defaults.
        public init() {}
    }

    private let source: Source

    /// Gives plans in order, then one plan to every connection.
    public init(_ plans: [FaultPlan] = [], then rest: FaultPlan = FaultPlan()) { source = .plans(plans, rest: rest) }

    /// Gives random plans that the seed repeats.
    public init(seed: UInt64, limits: Limits = Limits()) { source = .seed(seed, limits) }

    /// The plan of a connection, by its number from 0.
    public func plan(forConnection number: Int) -> FaultPlan {
        switch source {
        case .plans(let plans, let rest): return number < plans.count ? plans[number] : rest
        case .seed(let seed, let limits):
            if let count = limits.connectionCount, number >= count { return FaultPlan() }
            // A generator for each connection: its plan does not depend on who asked before.
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

/// Random numbers that a seed repeats (SplitMix64), and plans made of them.
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
            // A hundred pieces, so that the proxy does not become what is slow.
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

    /// A number of bytes whose magnitude is random, so that heads and handshakes are hit as often as bodies.
    private mutating func byteCount(_ largest: Int) -> Int {
        let bits = Int.bitWidth - max(largest, 1).leadingZeroBitCount
        return Int.random(in: 0...min(largest, (1 << Int.random(in: 1...bits, using: &self)) - 1), using: &self)
    }

    private mutating func time(upTo longest: Duration) -> Duration {
        longest * Double.random(in: 0...1, using: &self)
    }
}
