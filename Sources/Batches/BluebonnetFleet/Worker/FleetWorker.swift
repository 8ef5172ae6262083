// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
internal import Foundation

/// A worker of a fleet: claims lines of the batches in a store, runs them, and records what becomes of them.
///
/// ```swift
/// let worker = FleetWorker(store: "postgresql://jobs@db.example.com/jobs")
/// try await worker.run()
/// ```
///
/// Any number of workers runs on any number of machines. A worker that dies, or of which the store hears nothing
/// for the length of its lease, is taken for lost: lines that it had go to others, except unsafe ones that may have
/// been sent. When the store is away, a worker finishes what is under way, keeps the outcomes, connects again, and
/// records them. All members may be used from any thread.
public final class FleetWorker: Sendable {
    /// How a worker works.
    public struct Configuration: Sendable {
        /// The name that `Fleet.members()` tells. Default nil: the host's name and the process's number.
        public var name: String?
        /// Transfers at once. Default 64; more than 1,000,000 are as many.
        public var concurrency = 64
        /// Transfers at once to one scheme, host and port. Default 6.
        public var concurrencyPerOrigin = 6
        /// How long the store may hear nothing of the worker before its lines go to others. The worker gives a sign six
        /// times in that. Default 30 s; at least 1 s.
        public var lease = Duration.seconds(30)
        /// How long operations under way may continue after `drain()`. Default 10 s.
        public var drainTimeout = Duration.seconds(10)
        /// Whether the worker ends when every batch is complete, paused or cancelled, instead of waiting for more.
        /// Default false.
        public var endsWhenIdle = false
        /// What is this machine's: proxies, `.netrc`, a local address, an authenticator. Time limits, retries, trust
        /// and the limit of bodies are the batch's. Default `TransferOptions()`.
        public var transferOptions = TransferOptions()

        /// The defaults.
        public init() {}
    }

    /// The work of a worker so far.
    public struct Summary: Sendable, Hashable {
        /// The number of lines that it has recorded. Outcomes that the store refused, because the lines were given to
        /// others, do not count.
        public internal(set) var recordedCount = 0
        /// The number of lines that it was given.
        public internal(set) var claimedCount = 0
        /// The number of lines that run.
        public internal(set) var runningCount = 0
        /// The number of outcomes that wait for the store.
        public internal(set) var unrecordedCount = 0
        /// Why there is no connection to the store; nil when there is one.
        public internal(set) var problem: FleetError?
    }

    /// The store: a URI `postgresql://…` or a connection string of libpq, as `Fleet` has it.
    public let store: String
    /// How the worker works.
    public let configuration: Configuration
    private let inbox = WorkerInbox()
    private let state = Mutex(Summary())

    /// Makes a worker; nothing is opened yet. A concurrency below 1 traps.
    public init(store: String, configuration: Configuration = Configuration()) {
        precondition(
            configuration.concurrency > 0 && configuration.concurrencyPerOrigin > 0,
            "a worker needs room for one transfer")
        var configuration = configuration
        // What nobody has room for, so that multiples can be counted.
        configuration.concurrency = min(configuration.concurrency, Self.mostTransfers)
        configuration.concurrencyPerOrigin = min(configuration.concurrencyPerOrigin, Self.mostTransfers)
        (self.store, self.configuration) = (store, configuration)
    }

    private static let mostTransfers = 1_000_000

    /// Works until the worker is drained or cancelled, on a thread of its own. To be called once. Cancelling the
    /// calling task cancels the worker.
    ///
    /// - Parameter onProblem: told when the store is away, and with nil when it is back. On the worker's thread.
    /// - Throws: `FleetError` when the store cannot be used at the beginning, or refuses the worker. A store that only
    ///   cannot be reached is waited for.
    public func run(onProblem: @escaping @Sendable (FleetError?) -> Void = { _ in }) async throws(FleetError) {
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
        try outcome.get()
    }

    /// Starts nothing more: lines that were not sent go back to the store, operations under way may finish for
    /// `Configuration.drainTimeout`, and are cancelled then. `run` returns when everything is recorded.
    public func drain() { inbox.post(.drain) }

    /// Cancels what is under way. Lines that were not sent, and those that are safe to repeat, go back to the store;
    /// unsafe ones that may have been sent have the outcome `unknown`.
    public func cancel() { inbox.post(.cancel) }

    /// The work of the worker so far.
    public var summary: Summary { state.withLock { $0 } }
}
