// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// A scripted network under a governor, in virtual time. Any thread.
final class GovernedNetwork: Sendable {
    let time = VirtualTime()
    let governor: Governor
    let network: ScriptedNetwork

    init(
        _ limits: OriginLimits = OriginLimits(), rateLimit: RateLimit? = nil, limit: Int = 64, limitPerOrigin: Int = 64
    ) {
        governor = Governor(limits, rateLimit: rateLimit, timers: time.timers)
        network = ScriptedNetwork(limit: limit, limitPerOrigin: limitPerOrigin, time: time, governor: governor)
    }

    var log: ScriptedLog { network.log }
    var sentCount: Int { log.requests.count }
    var paths: [String] { log.entries.value.paths }

    /// An operation for a host, not yet started.
    func operation(
        _ path: String, host: String = "a.test", method: String = "GET", retries: RetryPolicy? = nil
    ) -> HTTPRequestOperation {
        var request = URLRequest(url: URL(string: "http://\(host)\(path)") ?? ScriptedNetwork.url(path))
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data("x".utf8) }
        let options = TransferOptions { $0.retryPolicy = retries }
        return HTTPRequestOperation(
            plan: RequestPlan(request, options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
    }

    /// Runs an operation to its end.
    @discardableResult
    func run(_ path: String, host: String = "a.test") async -> HTTPRequestOperation {
        let operation = operation(path, host: host)
        operation.start()
        await operation.ends()
        return operation
    }

    /// Makes the governor defer requests to a.test: a 429 response carries this many seconds as `Retry-After`.
    func hold(seconds: Int) async {
        network.answer("/hold", with: [.head(429, ["Retry-After": "\(seconds)"])])
        await run("/hold")
    }

    func status(of host: String = "a.test") async -> OriginStatus? {
        await governor.origins().first { $0.origin == "http://\(host):80" }
    }

    /// Waits until `count` requests were sent, and expects no further request.
    func hasSent(_ count: Int, at location: SourceLocation = #_sourceLocation) async {
        await log.entries.becomes(at: location) { $0.requests.count >= count }
        await NetworkThread.shared.catchesUp(at: location)
        #expect(sentCount == count, sourceLocation: location)
    }
}
