// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// The transport and the scheduler that an operation runs on. Each manager has its own services, with its own limits;
/// all managers share the connections of the process.
package final class NetworkServices: Sendable {
    /// The services of operations that belong to no manager: 64 transfers.
    static let `default` = NetworkServices(limit: 64, limitPerOrigin: 64)

    /// The largest number of concurrent transfers, in total and to one origin.
    let limit, limitPerOrigin: Int
    private let schedulerBox: NetworkBound<Scheduler>
    private let scripted: NetworkBound<any Transport>?
    private let scriptedRetryWaits: NetworkBound<RetryWaits>?
    /// The limits in bytes per second, for all transfers together and for the transfers to one origin; nil for no
    /// limit.
    let bytesPerSecond, bytesPerSecondPerOrigin: Int?
    /// Nil without a governor.
    let governor: Governor?
    /// Nil when requests leave the process.
    let simulation: Simulation?
    /// Nil without limits in bytes per second.
    private let rates: NetworkBound<ByteRates>?
    private let descriptors: NetworkBound<DescriptorCapacity>
    private let drained = Atomic(false)
    /// The clock of the operations' times and events.
    let clock: OperationClock
    /// The ends of the operations.
    let counters = OperationCounters()
    /// The validations of stale responses that run in the background.
    let validations = DispatchGroup()
    private let latencyBox = NetworkBound(LatencyBox())

    private final class LatencyBox {
        /// Nil until the statistics are read for the first time: programs that do not read them do not pay for them.
        var latencies: RecentLatencies?
    }

    convenience init(
        limit: Int, limitPerOrigin: Int, bytesPerSecond: Int? = nil, bytesPerSecondPerOrigin: Int? = nil,
        governor: Governor? = nil, simulation: Simulation? = nil
    ) {
        self.init(
            limit: limit, limitPerOrigin: limitPerOrigin, bytesPerSecond: bytesPerSecond,
            bytesPerSecondPerOrigin: bytesPerSecondPerOrigin, governor: governor, simulation: simulation,
            scripted: simulation?.transport, retryWaits: simulation?.retryWaits, clock: .machine)
    }

    /// Creates services with another transport than libcurl, for tests.
    ///
    /// - Parameters:
    ///   - retryWaits: default the process's retry waits.
    ///   - clock: the clock of the operations' times and events. A deadline that the transport receives is an instant
    ///     of this clock.
    convenience init(
        limit: Int, limitPerOrigin: Int, transport: sending any Transport, retryWaits: NetworkBound<RetryWaits>? = nil,
        governor: Governor? = nil, clock: OperationClock = .machine
    ) {
        self.init(
            limit: limit, limitPerOrigin: limitPerOrigin, bytesPerSecond: nil, bytesPerSecondPerOrigin: nil,
            governor: governor, simulation: nil, scripted: NetworkBound(transport), retryWaits: retryWaits,
            clock: clock)
    }

    private init(
        limit: Int, limitPerOrigin: Int, bytesPerSecond: Int?, bytesPerSecondPerOrigin: Int?, governor: Governor?,
        simulation: Simulation?, scripted: NetworkBound<any Transport>?, retryWaits: NetworkBound<RetryWaits>?,
        clock: OperationClock
    ) {
        self.clock = clock
        (self.limit, self.limitPerOrigin, self.scripted) = (limit, limitPerOrigin, scripted)
        (self.bytesPerSecond, self.bytesPerSecondPerOrigin) = (bytesPerSecond, bytesPerSecondPerOrigin)
        (self.governor, self.simulation) = (governor, simulation)
        scriptedRetryWaits = retryWaits
        descriptors = scripted == nil ? Self.descriptors : NetworkBound(DescriptorCapacity())
        let hasRates = bytesPerSecond != nil || bytesPerSecondPerOrigin != nil
        rates =
            hasRates ? NetworkBound(ByteRates(limit: bytesPerSecond, limitPerOrigin: bytesPerSecondPerOrigin)) : nil
        schedulerBox = NetworkBound(Scheduler(limit: limit, limitPerOrigin: limitPerOrigin))
    }

    /// Returns services with the same limits and the same transport, but separate slots.
    func copied() -> NetworkServices {
        NetworkServices(
            limit: limit, limitPerOrigin: limitPerOrigin, bytesPerSecond: bytesPerSecond,
            bytesPerSecondPerOrigin: bytesPerSecondPerOrigin, governor: governor, simulation: simulation,
            scripted: scripted, retryWaits: scriptedRetryWaits, clock: clock)
    }

    /// Whether operations end instead of being started. Once true, the value stays true.
    var isDrained: Bool { drained.load(ordering: .acquiring) }

    func setDrained() { drained.store(true, ordering: .releasing) }

    /// The scheduler of operations that need no slot, in queues without operations that need a slot. Network thread
    /// only.
    static var slotless: Scheduler {
        let scheduler = slotlessBox.value
        scheduler.round = StartBatch.shared.value
        return scheduler
    }

    private static let slotlessBox = NetworkBound(Scheduler())

    /// Network thread only.
    var scheduler: Scheduler {
        let scheduler = schedulerBox.value
        if scheduler.round == nil {
            scheduler.round = StartBatch.shared.value
            scheduler.descriptors = descriptors.value
            if let governor { scheduler.govern(by: governor.core.value) }
        }
        return scheduler
    }

    /// Returns the pacing of a transfer; nil without a byte limit. Network thread only.
    ///
    /// - Parameter own: the byte bucket of the operation, if the operation has its own limit.
    func pacing(to origin: Origin, own: SharedByteBucket?) -> TransferPacing? {
        if let rates { return rates.value.pacing(to: origin, own: own, now: MonotonicClock.now()) }
        return own.flatMap { TransferPacing([$0]) }
    }

    /// Returns the durations of recent transfers, which are recorded from the first call on. Network thread only.
    var latencies: RecentLatencies {
        let box = latencyBox.value
        if box.latencies == nil { box.latencies = RecentLatencies() }
        return box.latencies ?? RecentLatencies()
    }

    /// Records the duration of a transfer, in nanoseconds. Network thread only.
    func recordTransfer(_ duration: UInt64, to origin: @autoclosure () -> Origin?, now: UInt64) {
        let box = latencyBox.value
        guard box.latencies != nil, let origin = origin() else { return }
        box.latencies?.record(duration, to: origin, now: now)
    }

    /// Network thread only.
    var transport: any Transport { scripted?.value ?? Self.curl.value }

    /// Network thread only.
    var retryWaits: RetryWaits { scriptedRetryWaits?.value ?? Self.retryWaits.value }

    /// Network thread only.
    var timers: NetworkTimers { retryWaits.timers }

    /// The process's retry waits, created on the network thread on first use.
    private static let retryWaits = NetworkBound(RetryWaits(NetworkTimers(loop: NetworkThread.shared.eventLoop)))

    /// The process's descriptor capacity, for all its managers.
    private static let descriptors = NetworkBound(DescriptorCapacity())

    /// The process's connections, created on the network thread on first use.
    private static let curl = NetworkBound(
        CurlTransport(loop: NetworkThread.shared.eventLoop, register: ConnectionRegister()))

    /// Starts the network thread, libcurl and OpenSSL on other threads, so that the first transfer of the process need
    /// not wait for them.
    package static func prepare() {
        NetworkThread.shared.submit { _ = Self.curl.value }
        Queues.blocking.async { _ = MessageDigest(.sha256) }
    }
}
