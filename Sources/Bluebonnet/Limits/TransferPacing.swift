// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A bucket that several transfers take from. Network thread only.
final class SharedByteBucket {
    private var bucket: ByteBucket

    init(bytesPerSecond: Int) { bucket = ByteBucket(bytesPerSecond: bytesPerSecond) }

    var opensAt: UInt64 { bucket.opensAt }
    var pieceByteCount: Int { bucket.pieceByteCount }

    func take(_ byteCount: Int, now: UInt64) { bucket.take(byteCount, now: now) }
}

@available(*, unavailable)
extension SharedByteBucket: Sendable {}

/// The limits of bytes a second that one transfer is under: its operation's, its origin's, its manager's. Network
/// thread only; it pauses nothing itself.
final class TransferPacing {
    private let buckets: [SharedByteBucket]
    /// Until when the transfer is held; nil while it is not.
    private(set) var heldUntil: UInt64?

    /// Nil without a limit.
    init?(_ buckets: [SharedByteBucket]) {
        guard !buckets.isEmpty else { return nil }
        self.buckets = buckets
    }

    /// Whether the transfer may take no bytes now; `heldUntil` then says until when.
    func holds(now: UInt64) -> Bool {
        let opensAt = buckets.reduce(0) { max($0, $1.opensAt) }
        heldUntil = opensAt > now ? opensAt : nil
        return heldUntil != nil
    }

    /// The wait is over.
    func letGo() { heldUntil = nil }

    func take(_ byteCount: Int, now: UInt64) { for bucket in buckets { bucket.take(byteCount, now: now) } }

    /// The most bytes to send at once.
    var pieceByteCount: Int { buckets.reduce(.max) { min($0, $1.pieceByteCount) } }
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
