// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A token bucket that several transfers share. Network thread only.
package final class SharedByteBucket {
    private var bucket: ByteBucket

    package init(bytesPerSecond: Int) { bucket = ByteBucket(bytesPerSecond: bytesPerSecond) }

    var opensAt: UInt64 { bucket.opensAt }
    var pieceByteCount: Int { bucket.pieceByteCount }

    func consume(_ byteCount: Int, now: UInt64) { bucket.consume(byteCount, now: now) }
    func giveBack(_ byteCount: Int) { bucket.giveBack(byteCount) }
}

@available(*, unavailable)
extension SharedByteBucket: Sendable {}

/// Applies the limits of bytes a second of an operation, an origin and a manager to one transfer. Network thread only.
/// It does not pause the transfer itself.
///
/// A direction that must wait reserves its next piece after all bytes that were consumed and reserved before. Each
/// waiting direction therefore has its own turn, which later transfers cannot take. Receiving and sending wait
/// independently.
package final class TransferPacing {
    enum Direction { case receiving, sending }

    /// A piece that was consumed from the buckets but has not moved yet.
    private struct Reservation {
        /// When the piece may move.
        let turn: UInt64
        let byteCount: Int
        /// Whether the turn has come and the direction may continue.
        var mayContinue = false
    }

    /// The shortest debt that is worth waiting for, in nanoseconds: a pause and a timer cost more than a shorter debt.
    private static let leastDebt: UInt64 = 1_000_000

    private let buckets: [SharedByteBucket]
    private var receiving: Reservation?
    private var sending: Reservation?

    /// Nil without a limit.
    package init?(_ buckets: [SharedByteBucket]) {
        guard !buckets.isEmpty else { return nil }
        self.buckets = buckets
    }

    /// Returns whether a direction must wait before it moves a piece. If so, the piece is reserved.
    ///
    /// - Parameter byteCount: the bytes that the direction would move; the likely number if the exact number is
    ///   unknown.
    func reserveIfLimited(_ direction: Direction, byteCount: Int, now: UInt64) -> Bool {
        if var reservation = self[direction] {
            reservation.mayContinue = reservation.mayContinue || reservation.turn <= now
            self[direction] = reservation
            return !reservation.mayContinue
        }
        let turn = buckets.reduce(0) { max($0, $1.opensAt) }
        guard turn > now + Self.leastDebt else { return false }
        for bucket in buckets { bucket.consume(byteCount, now: now) }
        self[direction] = Reservation(turn: turn, byteCount: byteCount)
        return true
    }

    /// Consumes the bytes of a piece that moves, less the bytes that were reserved for it.
    func consume(_ direction: Direction, byteCount: Int, now: UInt64) {
        let excess = byteCount - (self[direction]?.byteCount ?? 0)
        self[direction] = nil
        for bucket in buckets {
            if excess >= 0 { bucket.consume(excess, now: now) } else { bucket.giveBack(-excess) }
        }
    }

    /// Releases a direction's reservation to other transfers, because nothing moves in that direction for now.
    func giveBack(_ direction: Direction) {
        guard let reservation = self[direction] else { return }
        self[direction] = nil
        for bucket in buckets { bucket.giveBack(reservation.byteCount) }
    }

    func giveBack() {
        giveBack(.receiving)
        giveBack(.sending)
    }

    /// When the first waiting direction may continue; nil if no direction waits.
    var nextTurn: UInt64? {
        [receiving, sending].compactMap { $0?.mayContinue == false ? $0?.turn : nil }.min()
    }

    /// Allows the directions whose turn has come to continue. Returns false if there are none.
    func releaseDue(now: UInt64) -> Bool {
        guard let nextTurn, nextTurn <= now else { return false }
        if let turn = receiving?.turn, turn <= now { receiving?.mayContinue = true }
        if let turn = sending?.turn, turn <= now { sending?.mayContinue = true }
        return true
    }

    /// The maximum number of bytes to send at once.
    var pieceByteCount: Int { buckets.reduce(.max) { min($0, $1.pieceByteCount) } }

    private subscript(direction: Direction) -> Reservation? {
        get { direction == .receiving ? receiving : sending }
        set { if direction == .receiving { receiving = newValue } else { sending = newValue } }
    }
}

@available(*, unavailable)
extension TransferPacing: Sendable {}

/// The limits of bytes a second of one manager, in total and for each origin. Network thread only.
package final class ByteRates {
    /// The number of known origins from which on unused origins without debt are forgotten.
    private static let originLimit = 256

    private let all: SharedByteBucket?
    private let limitPerOrigin: Int?
    private var origins: [Origin: SharedByteBucket] = [:]
    private var pruneCount = ByteRates.originLimit

    package init(limit: Int?, limitPerOrigin: Int?) {
        all = limit.map(SharedByteBucket.init)
        self.limitPerOrigin = limitPerOrigin
    }

    /// The number of known origins.
    var originCount: Int { origins.count }

    /// Returns the pacing of a transfer; nil without a limit.
    ///
    /// - Parameter own: the bucket of the transfer's operation.
    package func pacing(to origin: Origin, own: SharedByteBucket?, now: UInt64) -> TransferPacing? {
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

    /// Forgets origins without debt whose buckets no transfer uses.
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
