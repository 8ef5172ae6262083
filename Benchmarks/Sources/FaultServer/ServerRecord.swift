// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import NIOCore
import Synchronization

/// The state that the connections of one server share: the received requests, the number of replies given, and the
/// open channels.
final class ServerRecord: Sendable {
    private struct State {
        var report = ServerReport()
        var origins = Origins([])
        /// The number of replies given on each route.
        var replyCounts: [String: Int] = [:]
        var channels: [any Channel] = []
    }

    private let state = Mutex(State())

    var report: ServerReport { state.withLock { $0.report } }

    func set(_ origins: Origins) { state.withLock { $0.origins = origins } }

    func fill(_ text: String) -> String { state.withLock { $0.origins }.fill(text) }

    func add(_ channel: any Channel) {
        state.withLock { state in
            state.report.connectionCount += 1
            state.channels.append(channel)
        }
    }

    /// Records a request whose head has arrived. Returns its number.
    func add(_ request: ServerReport.Request) -> Int {
        state.withLock { state in
            state.report.requests.append(request)
            return state.report.requests.count - 1
        }
    }

    func add(_ body: [UInt8], toRequest number: Int) {
        state.withLock { state in
            let room = (128 << 10) - state.report.requests[number].body.count
            state.report.requests[number].body += body.prefix(room)
        }
    }

    /// Returns the next reply of a request's route.
    func reply(to number: Int, _ routes: [String: [Reply]]) -> Reply {
        state.withLock { state in
            let request = state.report.requests[number]
            let isAuthorized = request.value(of: "authorization") != nil
            let names = [
                isAuthorized ? "AUTH \(request.path)" : nil, "\(request.method) \(request.path)", request.path, "*",
            ]
            guard let route = names.compactMap({ $0 }).first(where: { routes[$0] != nil }), let replies = routes[route],
                let last = replies.last
            else { return .ok("", status: "404 Not Found") }
            let count = state.replyCounts[route, default: 0]
            state.replyCounts[route] = count + 1
            return count < replies.count ? replies[count] : last
        }
    }

    func closeConnections() {
        for channel in state.withLock({ $0.channels }) { channel.close(promise: nil) }
    }
}
