// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A client under measurement.
protocol Client {
    /// Does the work and looks at each answer.
    ///
    /// - Throws: a `BenchmarkError` when an answer is not as it has to be.
    func run(_ work: Work) throws

    /// Closes the connections that are kept alive, and returns when they are closed.
    func closeIdleConnections()
}

extension ClientKind {
    /// Makes the client, with room for so many transfers in flight.
    func makeClient(concurrency: Int) throws -> any Client {
        switch self {
        case .libcurl: try CurlClient(concurrency: concurrency)
        case .bluebonnet: BluebonnetClient(concurrency: concurrency)
        }
    }
}
