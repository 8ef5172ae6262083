// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A bucket that several transfers take from. Network thread only.
final class SharedByteBucket {
    private var bucket: ByteBucket

    init(bytesPerSecond: Int) { bucket = ByteBucket(bytesPerSecond: bytesPerSecond) }

    var opensAt: UInt64 { bucket.opensAt }
    var pieceByteCount: Int { bucket.pieceByteCount }

    func take(_ byteCount: Int, now: UInt64) { bucket.take(byteCount, now: now) }
    func giveBack(_ byteCount: Int) { bucket.giveBack(byteCount) }
}

@available(*, unavailable)
extension SharedByteBucket: Sendable {}

/// The limits of bytes a second that one transfer is under: its operation's, its origin's, its manager's. Network
/// thread only; it pauses nothing itself.
///
/// A direction that has to wait reserves its next piece, behind all that was taken and reserved before: so each one
/// that waits has a turn of its own, which nobody who comes later can take. Receiving and sending wait on their own.
package final class TransferPacing {
    enum Direction { case receiving, sending }

    /// A piece that is taken from the buckets already, although it has not moved yet.
    private struct Reservation {
        /// When it may move.
        let turn: UInt64
        let byteCount: Int
        /// Whether its direction was told to go on.
        var hasCome = false
    }

    /// Less debt than this is not waited for: a pause and a timer cost more. Nanoseconds.
    private static let leastDebt: UInt64 = 1_000_000

    private let buckets: [SharedByteBucket]
    private var receiving: Reservation?
    private var sending: Reservation?

    /// Nil without a limit.
    init?(_ buckets: [SharedByteBucket]) {
        guard !buckets.isEmpty else { return nil }
        self.buckets = buckets
    }

    /// Whether a direction may not move a piece now, which is reserved then.
    ///
    /// - Parameter byteCount: the bytes that it would move; as many as are likely, where it is not known.
    func holds(_ direction: Direction, byteCount: Int, now: UInt64) -> Bool {
        if var reservation = self[direction] {
            reservation.hasCome = reservation.hasCome || reservation.turn <= now
            self[direction] = reservation
            return !reservation.hasCome
        }
        let turn = buckets.reduce(0) { max($0, $1.opensAt) }
        guard turn > now + Self.leastDebt else { return false }
        for bucket in buckets { bucket.take(byteCount, now: now) }
        self[direction] = Reservation(turn: turn, byteCount: byteCount)
        return true
    }

    /// A piece moves: what was reserved for it is set off against it.
    func take(_ direction: Direction, byteCount: Int, now: UInt64) {
        let excess = byteCount - (self[direction]?.byteCount ?? 0)
        self[direction] = nil
        for bucket in buckets {
            if excess >= 0 { bucket.take(excess, now: now) } else { bucket.giveBack(-excess) }
        }
    }

    /// Nothing moves in a direction for now: others may have what was reserved for it.
    func giveBack(_ direction: Direction) {
        guard let reservation = self[direction] else { return }
        self[direction] = nil
        for bucket in buckets { bucket.giveBack(reservation.byteCount) }
    }

    func giveBack() {
        giveBack(.receiving)
        giveBack(.sending)
    }

    /// When a direction may go on that is held; nil when none is.
    var nextTurn: UInt64? {
        [receiving, sending].compactMap { $0?.hasCome == false ? $0?.turn : nil }.min()
    }

    /// Tells the directions to go on whose turn has come; false when there are none.
    func letGo(now: UInt64) -> Bool {
        guard let nextTurn, nextTurn <= now else { return false }
        if let turn = receiving?.turn, turn <= now { receiving?.hasCome = true }
        if let turn = sending?.turn, turn <= now { sending?.hasCome = true }
        return true
    }

    /// The most bytes to send at once.
    var pieceByteCount: Int { buckets.reduce(.max) { min($0, $1.pieceByteCount) } }

    private subscript(direction: Direction) -> Reservation? {
        get { direction == .receiving ? receiving : sending }
        set { if direction == .receiving { receiving = newValue } else { sending = newValue } }
    }
}

@available(*, unavailable)
extension TransferPacing: Sendable {}

/// The limits of bytes a second of one manager, in all and for each origin. Network thread only.
final class ByteRates {
    /// As many origins are known before those are forgotten that have nothing to pay.
    private static let originLimit = 256

    private let all: SharedByteBucket?
    private let limitPerOrigin: Int?
    private var origins: [Origin: SharedByteBucket] = [:]
    private var pruneCount = ByteRates.originLimit

    init(limit: Int?, limitPerOrigin: Int?) {
        all = limit.map(SharedByteBucket.init)
        self.limitPerOrigin = limitPerOrigin
    }

    /// The number of origins that are known.
    var originCount: Int { origins.count }

    /// The pacing of a transfer; nil when nothing limits it.
    ///
    /// - Parameter own: the bucket of its operation.
    func pacing(to origin: Origin, own: SharedByteBucket?, now: UInt64) -> TransferPacing? {
        var buckets = [own, all].compactMap(\.self)
        if let limitPerOrigin { buckets.append(bucket(of: origin, limitPerOrigin, now: now)) }
        return TransferPacing(buckets)
    }

    private func bucket(of origin: Origin, _ limit: Int, now: UInt64) -> SharedByteBucket {
        if let known = origins[origin] { return known }
        if origins.count >= pruneCount { prune(now: now) }
        let made = SharedByteBucket(bytesPerSecond: limit)
        origins[origin] = made
        return made
    }

    /// Forgets origins that have nothing to pay and whose buckets no transfer uses.
    private func prune(now: UInt64) {
        var entries = Array(origins)
        origins = [:]
        for index in entries.indices {
            let isUsed = entries[index].value.opensAt > now || !isKnownUniquelyReferenced(&entries[index].value)
            if isUsed { origins[entries[index].key] = entries[index].value }
        }
        pruneCount = max(Self.originLimit, origins.count * 2)
    }
}

@available(*, unavailable)
extension ByteRates: Sendable {}
