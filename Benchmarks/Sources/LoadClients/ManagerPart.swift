// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Foundation
import Synchronization

/// The parts of a Bluebonnet manager that a benchmark enables.
struct ManagerParts: Sendable {
    var parts: [ManagerPart] = []
    /// The URL of the requests; nil for mixed traffic, whose requests have their own tokens.
    var origin: URL?
}

/// A part of a Bluebonnet manager that is off by default. In a benchmark the part is idle: no request fails, and no
/// limit is reached.
package enum ManagerPart: String, CaseIterable, ExpressibleByArgument, Sendable {
    case retries, governor, authenticator
    /// A monitor that counts all events.
    case monitor
    /// A monitor that asks only for the ends of operations, and counts them.
    case endMonitor

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// - Parameter origin: the URL of the requests; nil adds no authenticator.
    func add(to configuration: inout RequestOperationManager.Configuration, origin: URL?) {
        switch self {
        case .retries: configuration.retryPolicy = .standard
        case .governor: configuration.governor = Governor()
        case .monitor: configuration.eventMonitors = [CountingMonitor.all]
        case .endMonitor: configuration.eventMonitors = [CountingMonitor.ends]
        case .authenticator:
            guard let origin else { return }
            let bearer = BearerAuthenticator(TokenEndpoint(origin, clientID: "benchmark"))
            let token = BearerToken("2YotnFZFEjr1zCsicMWpAA", refreshToken: "none", expiresIn: .seconds(86_400))
            configuration.authenticator = SharedAuthenticator(bearer, credential: token, origins: [origin])
        }
    }
}

/// Counts events, and the operations that have finished.
private final class CountingMonitor: EventMonitor {
    static let all = CountingMonitor(kinds: .all)
    static let ends = CountingMonitor(kinds: .finished)
    let kinds: RequestEvent.Kinds
    private let counts = Mutex((events: 0, operations: 0))

    private init(kinds: RequestEvent.Kinds) { self.kinds = kinds }

    func receive(_ events: [RequestEvent]) {
        let operations = events.count { if case .finished = $0.kind { true } else { false } }
        counts.withLock { counts in
            counts.events += events.count
            counts.operations += operations
        }
    }
}
