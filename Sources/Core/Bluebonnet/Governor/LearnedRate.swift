// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The rate that a server allows, as its refusals show it. A value without a clock: instants are nanoseconds of a
/// monotonic clock.
///
/// A server that limits a rate counts: at the moment of a refusal nothing is left, whatever burst the server allows. So
/// between two refusals the server has accepted as many transfers as its rate allows in that time, and that number is
/// the measure. The transfers that are let begin from then on are paced by it. The first measures are rough and a
/// little too high, which the next refusal shows; each is twice as good as the one before. As long as nothing is
/// refused the rate grows, in so many transfers as the last measure counted by as much as that measure may be wrong,
/// and from there on ever faster: a limit that was raised is found.
///
/// With a measure of 200 transfers about one of 200 is refused. A time without transfers, in which the server saves up
/// what it allows, ends a measure.
///
/// A server that refuses at random, or for other reasons than the number of transfers, refuses the same share of them
/// at a lower rate. A rate that has fallen by half without a smaller share is given up, and none is learned for a time.
struct LearnedRate: Equatable {
    /// The number of accepted transfers that make a measure exact enough.
    static let fullCount = 200
    /// A rate that nothing has spoken against for so long is forgotten.
    private static let memory: UInt64 = 300_000_000_000
    private static let shortestIdleTime = 100_000_000.0
    /// By how much the rate grows with an accepted transfer, at most.
    private static let largestGrowth = 1.5

    /// Transfers a second; nil before the first measure, and while refusals do not depend on the rate.
    private(set) var perSecond: Double?
    private var bucket = RateBucket(perSecond: 1)
    /// The refusal from which the measure counts; nil without one.
    private var measureBegan: UInt64?
    private var acceptedCount = 0
    /// What the last measure counted, and the accepted transfers since.
    private var evidence = 1
    private var growthCount = 0
    private var lastRefusal: UInt64
    private var lastBegin: UInt64
    /// The first transfer after a hold, and the transfers accepted since.
    private var opening: Opening?
    private var shares = RefusedShares()
    /// Until when no rate is learned, because refusals do not depend on it.
    private var givenUpUntil: UInt64 = 0

    private struct Opening: Equatable {
        let instant: UInt64
        var acceptedCount = 0
    }

    /// The first refusal.
    init(refusedAt now: UInt64) { (lastRefusal, lastBegin, measureBegan) = (now, now, now) }

    /// When the next transfer may begin.
    var opensAt: UInt64 { perSecond == nil ? 0 : bucket.opensAt }

    func isForgotten(now: UInt64) -> Bool { now > lastRefusal + Self.memory && !(opensAt > now) }

    mutating func noteBegin(now: UInt64) {
        let idleTime = max(Self.shortestIdleTime, 5e9 / (perSecond ?? .infinity))
        if now > lastBegin, Double(now - lastBegin) > idleTime {
            measureBegan = nil
            shares.beginBlock()
        }
        lastBegin = now
        if opening == nil { opening = Opening(instant: now) }
        if perSecond != nil { bucket.take(now: now) }
    }

    mutating func giveBack() { if perSecond != nil { bucket.giveBack() } }

    /// The server has accepted a transfer.
    ///
    /// - Parameter isStale: whether it began before the last refusal: such ones say nothing of the rate that followed.
    mutating func noteAccepted(now: UInt64, isStale: Bool = false) {
        acceptedCount += 1
        if !isStale { shares.noteAccepted(now: now) }
        opening?.acceptedCount += 1
        guard let perSecond, bucket.opensAt > now else { return }  // only a rate that holds something back grows
        growthCount += 1
        let (count, evidence) = (Double(growthCount), Double(evidence))
        let growth = (1 + (count / evidence) * (count / evidence)) / (evidence * evidence)
        setRate(perSecond * min(Self.largestGrowth, 1 + growth))
    }

    /// The server has refused a transfer; before what follows of that is noted.
    mutating func countRefusal() { shares.noteRefused() }

    /// The server has refused a transfer, and did not say for how long.
    ///
    /// - Parameter floor: the lowest rate.
    mutating func noteRefusal(now: UInt64, floor: Double) {
        lastRefusal = now
        if shares.depend(on: perSecond, now: now) == false {
            (perSecond, givenUpUntil) = (nil, now + Self.memory)
            return beginMeasure(at: now)
        }
        guard now >= givenUpUntil else { return }
        guard let began = measureBegan, now > began else { return beginMeasure(at: now) }
        let measured = (Double(acceptedCount) + 0.5) * 1e9 / Double(now - began)
        let isFull = acceptedCount >= Self.fullCount
        // A measure over a long time may have seen times in which less was sent than the server would have accepted.
        let rate = isFull ? max(measured, 0.9 * (perSecond ?? 0)) : measured
        evidence = min(max(acceptedCount, 1), Self.fullCount)
        growthCount = 0
        setRate(max(floor, min(rate, perSecond ?? rate)))
        if isFull { beginMeasure(at: now) }
    }

    /// The server has refused a transfer, and wants to be left alone for a time. In that time it saves up what it
    /// allows, so that a measure over it is too low, and one from its end on too high.
    ///
    /// - Parameter end: of the hold, during which nobody sends anything for another reason.
    mutating func noteHold(now: UInt64, until end: UInt64) {
        (lastRefusal, lastBegin) = (now, max(lastBegin, end))
        shares.beginBlock()
        defer { opening = nil }
        guard let began = measureBegan, now > began, let opening, now > opening.instant, opening.acceptedCount > 0
        else { return beginMeasure(at: now) }
        let low = Double(acceptedCount) * 1e9 / Double(now - began)
        let high = Double(opening.acceptedCount) * 1e9 / Double(now - opening.instant)
        (evidence, growthCount) = (Self.fullCount, 0)
        setRate(max(low, 0.7 * min(perSecond ?? high, high)))
        if acceptedCount >= Self.fullCount { beginMeasure(at: now) }
    }

    private mutating func beginMeasure(at now: UInt64) { (measureBegan, acceptedCount) = (now, 0) }

    private mutating func setRate(_ rate: Double) {
        if perSecond == nil { bucket = RateBucket(perSecond: rate) }
        perSecond = rate
        bucket.setRate(rate)
    }
}
