// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation

/// A measured client.
protocol LoadClient {
    /// Sends the job's requests. Returns when each has ended and is recorded in the ledger.
    ///
    /// - Throws: a `BenchmarkError`, if the client could not begin, or does not support the work.
    func run(_ job: Job, _ ledger: Ledger) throws

    /// Returns whether the ledger has a time for each request; false if requests wait in the client's own queue.
    func measuresLatency(of job: Job) -> Bool

    /// Closes the connections that are kept alive, and returns when they are closed. Returns false if the client
    /// cannot do that.
    func closeIdleConnections() -> Bool
}

extension LoadClient {
    func measuresLatency(of job: Job) -> Bool { !job.startsAllAtOnce }
    func closeIdleConnections() -> Bool { false }
}

extension Contender {
    /// Makes the client with limits on transfers in flight and connections.
    ///
    /// - Parameters:
    ///   - authorityFile: a PEM file of the authorities to trust instead of the system's.
    ///   - parts: the parts of the manager to enable, for the clients that queue operations.
    func makeClient(
        _ limits: ConnectionLimits, authorityFile: String?, parts: ManagerParts = ManagerParts()
    ) throws -> any LoadClient {
        switch self {
        case .libcurl: try CurlClient(limits, authorityFile)
        case .bluebonnet: try BluebonnetClient(limits, authorityFile, .queued, parts: parts)
        case .bluebonnetLoop: try BluebonnetClient(limits, authorityFile, .oneAfterAnother, parts: parts)
        case .bluebonnetResponse: try BluebonnetClient(limits, authorityFile, .queuedWithResponse)
        case .bluebonnetURLRequest: try BluebonnetClient(limits, authorityFile, .queuedURLRequests)
        case .bluebonnetPinned: try BluebonnetClient(limits, authorityFile, .queued, isPinned: true)
        case .bluebonnetAsync: try BluebonnetAsyncClient(limits, authorityFile)
        case .asyncHTTPClient: try AsyncHTTPClientClient(limits, authorityFile, usesFutures: false)
        case .asyncHTTPClientFuture: try AsyncHTTPClientClient(limits, authorityFile, usesFutures: true)
        case .urlSession: try URLSessionClient(limits, authorityFile)
        case .bluebonnetCommand, .curlCommand, .wget2, .aria2c, .h2load:
            throw BenchmarkError("\(rawValue) is a command of its own: LoadDriver does not have it")
        }
    }
}
