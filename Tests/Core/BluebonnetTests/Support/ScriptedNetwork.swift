// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// An in-memory network for one test: its answers, and a log of its requests. Any thread.
final class ScriptedNetwork: Sendable {
    let log = ScriptedLog()
    let services: NetworkServices

    /// - Parameters:
    ///   - time: the clock of the retry delays; by default the machine's clock.
    ///   - clock: the clock of the operations' times and events.
    init(
        limit: Int = 64, limitPerOrigin: Int = 6, time: VirtualTime? = nil, governor: Governor? = nil,
        clock: OperationClock = .machine
    ) {
        services = NetworkServices(
            limit: limit, limitPerOrigin: limitPerOrigin, transport: ScriptedTransport(log), retryWaits: time?.waits,
            governor: governor, clock: clock)
    }

    /// Answers every request for a path with the same steps.
    func answer(_ path: String, with steps: [ScriptedStep]) {
        log.setScript(path) { _, _ in steps }
    }

    /// Answers the requests for a path in turn. The last answer repeats.
    func answer(_ path: String, inTurn scripts: [[ScriptedStep]]) {
        log.setScript(path) { _, count in scripts[min(count, scripts.count - 1)] }
    }

    /// Answers each request for a path with the steps that `script` returns.
    func answer(_ path: String, by script: @escaping @Sendable (TransferRequest) -> [ScriptedStep]) {
        log.setScript(path) { request, _ in script(request) }
    }

    /// Answers the requests for all paths without a script.
    func answerOthers(by script: @escaping @Sendable (TransferRequest) -> [ScriptedStep]) {
        log.setScript(nil) { request, _ in script(request) }
    }

    static func url(_ path: String) -> URL { URL(string: "http://scripted.test" + path) ?? URL(fileURLWithPath: path) }

    /// A request, with a body if `body` is set.
    func request(_ path: String, method: String = "GET", body: String? = nil) -> URLRequest {
        var request = URLRequest(url: Self.url(path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    /// An operation on this network, not yet started.
    func operation(
        _ path: String, method: String = "GET", body: String? = nil, options: TransferOptions = TransferOptions()
    ) -> HTTPRequestOperation {
        HTTPRequestOperation(
            plan: RequestPlan(request(path, method: method, body: body), options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: services)
    }

    /// A manager on this network.
    func manager(baseURL: URL? = ScriptedNetwork.url("/")) -> RequestOperationManager {
        RequestOperationManager(baseURL: baseURL, services: services)
    }
}

extension RequestOperationManager {
    /// Makes an operation and adds it to the manager's queue.
    @discardableResult
    func started(_ method: String, _ url: String, parameters: Parameters? = nil) -> HTTPRequestOperation {
        enqueue(operation(method, url, parameters: parameters))
    }
}

/// An event of a transfer. Transfers are numbered from 1.
enum ScriptedEvent: Sendable, Hashable {
    case begun(Int)
    case aborted(Int)
    case paused(Int)
    case resumed(Int)
    case ended(Int)
}

/// The log of a scripted network. Any thread.
final class ScriptedLog: Sendable {
    typealias Script = @Sendable (_ request: TransferRequest, _ earlierCount: Int) -> [ScriptedStep]

    /// The state of the log at one moment.
    struct Entries: Sendable, CustomStringConvertible {
        var requests: [TransferRequest] = []
        var events: [ScriptedEvent] = []
        var idleClosures = 0
        /// The number of transfers on the wire, without transfers paused in place, and its peak.
        var activeCount = 0
        var peakCount = 0
        fileprivate var countsByPath: [String: Int] = [:]
        fileprivate var activeByOrigin: [Origin: Int] = [:]
        var peakPerOrigin = 0

        var paths: [String] { requests.map(\.url.path) }

        /// Shown by a test that waited without success.
        var description: String { "\(events) of the requests for \(paths), \(idleClosures) closures of idle ones" }
    }

    let entries = Observed(Entries())
    /// The scripts by path. The script for nil answers all other paths.
    private let scripts = Mutex<[String?: Script]>([:])

    var requests: [TransferRequest] { entries.value.requests }
    var events: [ScriptedEvent] { entries.value.events }

    func setScript(_ path: String?, _ script: @escaping Script) {
        scripts.withLock { $0[path] = script }
    }

    /// Waits until an event has happened.
    func sees(_ event: ScriptedEvent, at location: SourceLocation = #_sourceLocation) async {
        await entries.becomes(at: location) { $0.events.contains(event) }
    }

    func begin(_ request: TransferRequest) -> (number: Int, script: [ScriptedStep]) {
        let path = request.url.path
        let (number, earlierCount) = entries.update { entries in
            entries.requests.append(request)
            entries.countsByPath[path, default: 0] += 1
            return (entries.requests.count, entries.countsByPath[path, default: 1] - 1)
        }
        record(.begun(number), beginsOf: request.url)
        let script = scripts.withLock { $0[path] ?? $0[nil] }
        return (number, script?(request, earlierCount) ?? [.head(200), .body("fine")])
    }

    func record(_ event: ScriptedEvent, beginsOf begun: URL? = nil, endsOf ended: URL? = nil) {
        entries.update { entries in
            entries.events.append(event)
            if let origin = begun.flatMap(Origin.init) { entries.enter(origin) }
            if let origin = ended.flatMap(Origin.init) { entries.leave(origin) }
        }
    }

    func closeIdleConnections() {
        entries.update { $0.idleClosures += 1 }
    }
}

extension ScriptedLog.Entries {
    fileprivate mutating func enter(_ origin: Origin) {
        activeCount += 1
        activeByOrigin[origin, default: 0] += 1
        peakCount = max(peakCount, activeCount)
        peakPerOrigin = max(peakPerOrigin, activeByOrigin[origin] ?? 0)
    }

    fileprivate mutating func leave(_ origin: Origin) {
        activeCount -= 1
        activeByOrigin[origin, default: 0] -= 1
    }
}
