// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
package import BluebonnetBatch
internal import BluebonnetLocks
internal import Foundation

/// A worker of a fleet: claims lines of the batches in a store, runs them, and records their outcomes.
///
/// ```swift
/// let worker = FleetWorker(store: "postgresql://jobs@db.example.com/jobs")
/// try await worker.run()
/// ```
///
/// Any number of workers can run on any number of machines. A worker that dies, or that sends no heartbeat to the
/// store during its lease, is declared lost: its lines go to other workers, except unsafe lines that may have been
/// sent. While the store is unreachable, a worker finishes its running lines, keeps the outcomes, reconnects, and
/// records the outcomes. All members may be used from any thread.
public final class FleetWorker: Sendable {
    /// The settings of a worker.
    public struct Configuration: Sendable {
        /// The name that `Fleet.members()` returns. Default nil: the host's name and the process's number.
        public var name: String?
        /// The maximum number of concurrent transfers. Default 64; larger values than 1,000,000 count as 1,000,000.
        public var concurrency = 64
        /// The maximum number of concurrent transfers to one scheme, host and port. Default 6.
        public var concurrencyPerOrigin = 6
        /// How long the store may receive nothing from the worker before its lines go to other workers. The worker
        /// sends a heartbeat six times in a lease. Default 30 s; at least 1 s.
        public var lease = Duration.seconds(30)
        /// How long running operations may continue after `drain()`. Default 10 s.
        public var drainTimeout = Duration.seconds(10)
        /// Whether the worker ends when every batch is complete, paused or cancelled, instead of waiting for more
        /// lines. Default false.
        public var endsWhenIdle = false
        /// How long batches without their own retention (`FleetSettings.retention`) are kept when all their lines have
        /// ended. One worker of the fleet at a time removes such batches. From 0 to 1,000,000,000 s; other values count
        /// as the nearest of these. Default nil: until they are removed.
        public var retention: Duration?
        /// How often the worker looks for batches to be removed.
        var pruningInterval = Duration.seconds(60)
        /// Options of this machine: proxies, `.netrc`, a local address, an authenticator. The batch sets time limits,
        /// retries, trust, dot segments and the limit of bodies. Default `TransferOptions()`.
        public var transferOptions = TransferOptions()
        /// Receives each line just before its operation is started, on any thread.
        package var onLineStart: (@Sendable (StartedLine) -> Void)?
        /// Receives figures for a monitoring system.
        package var meter: WorkerMeter?

        /// Creates the default settings.
        public init() {}
    }

    /// The work of a worker so far.
    public struct Summary: Sendable, Hashable {
        /// The number of lines that the worker has recorded. Outcomes that the store refused, because the lines were
        /// given to other workers, do not count.
        public internal(set) var recordedCount = 0
        /// The number of lines that the worker has claimed.
        public internal(set) var claimedCount = 0
        /// The number of running lines.
        public internal(set) var runningCount = 0
        /// The number of outcomes that are not recorded yet.
        public internal(set) var unrecordedCount = 0
        /// Why there is no connection to the store, or why old batches were not removed; nil while the store works.
        public internal(set) var problem: FleetError?
    }

    /// The store: a `postgresql://…` URI or a connection string of libpq, as in `Fleet`.
    public let store: String
    /// The settings of the worker.
    public let configuration: Configuration
    private let inbox = WorkerInbox()
    private let state = Mutex(Summary())

    /// Creates a worker. Nothing is opened yet. A concurrency below 1 traps.
    public init(store: String, configuration: Configuration = Configuration()) {
        precondition(
            configuration.concurrency > 0 && configuration.concurrencyPerOrigin > 0,
            "a worker needs at least one transfer slot")
        var configuration = configuration
        // No machine can run more transfers, and multiples of the limit must not overflow.
        configuration.concurrency = min(configuration.concurrency, Self.mostTransfers)
        configuration.concurrencyPerOrigin = min(configuration.concurrencyPerOrigin, Self.mostTransfers)
        (self.store, self.configuration) = (store, configuration)
    }

    private static let mostTransfers = 1_000_000

    /// Runs on a separate thread until the worker is drained or cancelled, or is idle with `endsWhenIdle`. To be
    /// called once. Cancelling the calling task cancels the worker.
    ///
    /// - Parameter onProblem: called on the worker's thread with an error when the store becomes unavailable or old
    ///   batches cannot be removed, and with nil when that is over.
    /// - Throws: `FleetError` if the store cannot be used at the beginning or refuses the worker, or if the worker
    ///   ends with outcomes that it could not record. If the store is only unreachable, the worker waits for it.
    public func run(onProblem: @escaping @Sendable (FleetError?) -> Void = { _ in }) async throws(FleetError) {
        let retention = RetentionLoop(
            store: store, retention: configuration.retention, interval: configuration.pruningInterval,
            onEnd: { [inbox] in inbox.post(.pruned($0)) })
        let pruning = Task { await retention.run() }
        let outcome: Result<Void, FleetError> = await withTaskCancellationHandler {
            await withCheckedContinuation { done in
                Thread.detachNewThread { [self] in
                    var loop = WorkerLoop(
                        store: store, configuration, inbox,
                        onSummary: { [self] summary in state.withLock { $0 = summary } }, onProblem: onProblem)
                    done.resume(returning: Result { () throws(FleetError) in try loop.run() })
                }
            }
        } onCancel: {
            cancel()
        }
        pruning.cancel()
        await pruning.value
        try outcome.get()
    }

    /// Stops starting lines. Unsent lines go back to the store; running operations may finish within
    /// `Configuration.drainTimeout`, and are cancelled then. `run` returns when all outcomes are recorded.
    public func drain() { inbox.post(.drain) }

    /// Cancels all running lines. Unsent lines and lines that are safe to repeat go back to the store; unsafe lines
    /// that may have been sent get the outcome `unknown`.
    public func cancel() { inbox.post(.cancel) }

    /// The work of the worker so far.
    public var summary: Summary { state.withLock { $0 } }
}
