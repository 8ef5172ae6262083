// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import ServiceLifecycle

/// A manager as a service of swift-service-lifecycle: a graceful shutdown drains the manager.
///
/// ```swift
/// let client = ManagerService(manager, drainTimeout: .seconds(20))
/// let group = ServiceGroup(
///     services: [client, server], gracefulShutdownSignals: [.sigterm],
///     logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in reverse order. List the manager before the services that send requests with it.
public struct ManagerService: Service {
    /// The manager.
    public let manager: RequestOperationManager
    /// How long running operations may continue after the shutdown has begun.
    public let drainTimeout: Duration
    private let onDrained: @Sendable (DrainSummary) -> Void

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - manager: drained by `run()`.
    ///   - drainTimeout: how long running operations may continue after the shutdown has begun, before they are
    ///     cancelled. Default 10 s.
    ///   - onDrained: called when the drain has ended, in the task of `run()`. Default: nothing.
    public init(
        _ manager: RequestOperationManager, drainTimeout: Duration = .seconds(10),
        onDrained: @escaping @Sendable (DrainSummary) -> Void = { _ in }
    ) {
        (self.manager, self.drainTimeout, self.onDrained) = (manager, drainTimeout, onDrained)
    }

    /// Waits for a graceful shutdown, and drains the manager. If the task is cancelled, also during the drain, running
    /// operations are cancelled at once.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before a graceful shutdown.
    public func run() async throws {
        let shutdown: Result<Void, any Error>
        do {
            shutdown = .success(try await gracefulShutdown())
        } catch {
            shutdown = .failure(error)
        }
        onDrained(await manager.drain(timeout: drainTimeout))
        try shutdown.get()
    }
}
