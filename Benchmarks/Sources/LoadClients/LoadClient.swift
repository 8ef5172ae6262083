// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation

/// A client under measurement.
protocol LoadClient {
    /// Sends the job's requests and returns when each has ended and is in the ledger.
    ///
    /// - Throws: a `BenchmarkError` when it could not even begin, or cannot do such work.
    func run(_ job: Job, _ ledger: Ledger) throws

    /// Whether the ledger has times for each request: not where requests wait in the client's own queue.
    func measuresLatency(of job: Job) -> Bool

    /// Closes the connections that are kept alive, and returns when they are closed; false when it cannot.
    func closeIdleConnections() -> Bool
}

extension LoadClient {
    func measuresLatency(of job: Job) -> Bool { !job.startsAllAtOnce }
    func closeIdleConnections() -> Bool { false }
}

extension Contender {
    /// Makes the client with room for so many transfers in flight and connections.
    ///
    /// - Parameters:
    ///   - authorityFile: a PEM file of the authorities to trust instead of the system's.
    ///   - parts: of the manager, for the clients that operations are queued with.
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
        case .bluebonnetCommand, .curlCommand, .wget2, .aria2c:
            throw BenchmarkError("\(rawValue) is a command of its own: LoadDriver does not have it")
        }
    }
}
