// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetFleet
public import ServiceLifecycle

/// A worker of a fleet as a service of swift-service-lifecycle: a graceful shutdown drains the worker.
///
/// ```swift
/// let worker = FleetWorker(store: store)
/// let group = ServiceGroup(
///     services: [FleetWorkerService(worker)],
///     gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// The deadline of the drain is `FleetWorker.Configuration.drainTimeout`.
public struct FleetWorkerService: Service {
    /// The worker.
    public let worker: FleetWorker
    private let onProblem: @Sendable (FleetError?) -> Void

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - worker: a worker that does not run yet.
    ///   - onProblem: as in `FleetWorker.run(onProblem:)`. Default: nothing.
    public init(_ worker: FleetWorker, onProblem: @escaping @Sendable (FleetError?) -> Void = { _ in }) {
        (self.worker, self.onProblem) = (worker, onProblem)
    }

    /// Runs the worker until a graceful shutdown has drained it, or it is idle with `endsWhenIdle`. Cancelling the task
    /// cancels the worker.
    ///
    /// - Throws: `FleetError`, as `FleetWorker.run(onProblem:)`.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await worker.run(onProblem: onProblem)
        } onGracefulShutdown: {
            worker.drain()
        }
    }
}
