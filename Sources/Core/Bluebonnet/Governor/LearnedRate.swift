// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The rate limit of a server, estimated from its refusals. A value without a clock: instants are nanoseconds of a
/// monotonic clock.
///
/// A server with a rate limit counts transfers: at a refusal its budget is empty, whatever burst it allows. Between two
/// refusals the server has therefore accepted as many transfers as its rate allows in that time. This number is the
/// measurement, and it paces the following transfers. The first measurements are rough and slightly too high, which the
/// next refusal shows; each measurement is twice as accurate as the previous one. Without refusals the rate grows: over
/// as many transfers as the last measurement counted, it grows by the possible error of that measurement, and then ever
/// faster. In this way a raised limit is found.
///
/// With a measurement of 200 transfers, about one transfer in 200 is refused. An idle time, in which the server's
/// budget refills, ends a measurement.
///
/// A server that refuses at random, or for reasons other than the number of transfers, refuses the same share of them
/// at a lower rate. If the rate has fallen by half without a smaller share of refusals, the rate is dropped, and no
/// rate is learned for 300 s.
struct LearnedRate: Equatable {
    /// The number of accepted transfers that makes a measurement accurate enough.
    static let fullCount = 200
    /// In nanoseconds: a rate is forgotten after this time without a refusal.
    private static let memory: UInt64 = 300_000_000_000
    private static let shortestIdleTime = 100_000_000.0
    /// The largest factor by which one accepted transfer raises the rate.
    private static let largestGrowth = 1.5

    /// Transfers per second; nil before the first measurement, and while refusals do not depend on the rate.
    private(set) var perSecond: Double?
    private var bucket = RateBucket(perSecond: 1)
    /// The refusal at which the measurement began; nil without a measurement.
    private var measureBegan: UInt64?
    private var acceptedCount = 0
    /// The number of accepted transfers in the last measurement, and since then.
    private var evidence = 1
    private var growthCount = 0
    private var lastRefusal: UInt64
    private var lastBegin: UInt64
    /// The first transfer after a back-off, and the number of transfers accepted since.
    private var opening: Opening?
    private var shares = RefusedShares()
    /// Until when no rate is learned, because refusals do not depend on the rate.
    private var givenUpUntil: UInt64 = 0

    private struct Opening: Equatable {
        let instant: UInt64
        var acceptedCount = 0
    }

    /// Begins the first measurement at the first refusal.
    init(refusedAt now: UInt64) { (lastRefusal, lastBegin, measureBegan) = (now, now, now) }

    /// When the next transfer may begin.
    var opensAt: UInt64 { perSecond == nil ? 0 : bucket.opensAt }

    func isForgotten(now: UInt64) -> Bool { now > lastRefusal + Self.memory && !(opensAt > now) }

    mutating func recordBegin(now: UInt64) {
        let idleTime = max(Self.shortestIdleTime, 5e9 / (perSecond ?? .infinity))
        if now > lastBegin, Double(now - lastBegin) > idleTime {
            measureBegan = nil
            shares.beginBlock()
        }
        lastBegin = now
        if opening == nil { opening = Opening(instant: now) }
        if perSecond != nil { bucket.consume(now: now) }
    }

    mutating func giveBack() { if perSecond != nil { bucket.giveBack() } }

    /// Records a transfer that the server accepted.
    ///
    /// - Parameter isStale: whether the transfer began before the last refusal. A stale transfer says nothing about the
    ///   rate since then.
    mutating func recordAccepted(now: UInt64, isStale: Bool = false) {
        acceptedCount += 1
        if !isStale { shares.recordAccepted(now: now) }
        opening?.acceptedCount += 1
        guard let perSecond, bucket.opensAt > now else { return }  // only a rate that delays transfers grows
        growthCount += 1
        let (count, evidence) = (Double(growthCount), Double(evidence))
        let growth = (1 + (count / evidence) * (count / evidence)) / (evidence * evidence)
        setRate(perSecond * min(Self.largestGrowth, 1 + growth))
    }

    /// Counts a refused transfer. Called before the consequences of the refusal are recorded.
    mutating func countRefusal() { shares.recordRefused() }

    /// Records a refusal that gives no time to wait.
    ///
    /// - Parameter floor: the lowest rate.
    mutating func recordRefusal(now: UInt64, floor: Double) {
        lastRefusal = now
        if shares.finishBlock(rate: perSecond, now: now) == false {
            (perSecond, givenUpUntil) = (nil, now + Self.memory)
            return beginMeasure(at: now)
        }
        guard now >= givenUpUntil else { return }
        guard let began = measureBegan, now > began else { return beginMeasure(at: now) }
        let measured = (Double(acceptedCount) + 0.5) * 1e9 / Double(now - began)
        let isFull = acceptedCount >= Self.fullCount
        // A long measurement may include times with fewer transfers than the server would have accepted.
        let rate = isFull ? max(measured, 0.9 * (perSecond ?? 0)) : measured
        evidence = min(max(acceptedCount, 1), Self.fullCount)
        growthCount = 0
        setRate(max(floor, min(rate, perSecond ?? rate)))
        if isFull { beginMeasure(at: now) }
    }

    /// Records a refusal that gives a time to wait. The server's budget refills in that time: a measurement that
    /// includes the time is too low, and a measurement from its end is too high.
    ///
    /// - Parameter end: the end of the back-off. Until then, the lack of transfers is not an idle time.
    mutating func recordBackOff(now: UInt64, until end: UInt64) {
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
