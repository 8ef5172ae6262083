// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Dispatch
import Figures
import Foundation
import FoundationNetworking
import HeapFigures
import LoadClients
import Synchronization

/// Measures the cost of a session manager's data tasks, compared with the operations that they wrap.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Data tasks beside the same operations: throughput, memory, and very many tasks at once.",
        discussion: """
            Operations and data tasks fetch 13 bytes from nginx, by turns in one process, all queued at once; each \
            handler reads the status. Then RequestOperationManager() and SessionManager() fetch a small JSON as they \
            are made, with 6 in flight; the latter has a cookie jar and a cache. \
            Figures are medians (least–most), the share is the median of the rounds' shares. \
            Memory is what malloc has handed out for requests that are made and not started, without the requests. \
            Goals: at least 90 % of the throughput, at most 300 bytes, and 100,000 tasks made, listed and cancelled in \
            under a second each.
            """)

    @Option(help: "How many requests a round has.")
    var count = 40_000

    @Option(help: "How many transfers may be in flight.")
    var concurrency = 64

    @Option(help: "How often throughput is measured.")
    var rounds = 7

    @Option(help: "How many tasks are made, listed and cancelled.")
    var tasks = 100_000

    func validate() throws {
        guard count > 0, concurrency > 0, rounds > 0, tasks > 0 else {
            throw ValidationError("Counts have to be at least 1.")
        }
    }

    func run() throws {
        try Stage.withServer { _, server in
            try measureThroughput(try server.url("tiny"), manager, session)
            let json = server.mixedOrigins.first.flatMap { URL(string: $0) }
            guard let json else { throw BenchmarkError("no URL") }
            print("As they are made:")
            try measureThroughput(json, RequestOperationManager(), SessionManager())
        }
        try measureMemory()
        try measureMany()
    }

    private var manager: RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCount = concurrency
        configuration.maximumConcurrentTransferCountPerOrigin = concurrency
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    private var session: SessionManager {
        var configuration = SessionConfiguration()
        configuration.maximumConcurrentTransferCount = concurrency
        configuration.maximumConcurrentTransferCountPerOrigin = concurrency
        let session = SessionManager(configuration: configuration)
        session.responseSerializer = HTTPResponseSerializer()
        return session
    }
}

// MARK: - Throughput

extension SessionsCommand {
    private func measureThroughput(
        _ url: URL, _ manager: RequestOperationManager, _ session: SessionManager
    ) throws {
        try Self.runOperations(2000, url, manager)
        try Self.runTasks(2000, url, session)
        var (ours, theirs) = ([RoundCost](), [RoundCost]())
        for _ in 0..<rounds {
            theirs.append(try RoundCost(of: count) { try Self.runOperations(count, url, manager) })
            ours.append(try RoundCost(of: count) { try Self.runTasks(count, url, session) })
        }
        for (name, costs) in [("operations", theirs), ("data tasks", ours)] {
            let rate = Spread(costs.map(\.rate)).text(fractionDigits: 0)
            print("\(name): \(rate) requests/s, \(Spread(costs.map(\.cpu)).text(fractionDigits: 1)) µs of CPU each")
        }
        let shares = zip(ours, theirs).map { $0.rate / $1.rate * 100 }
        print("share of the throughput: \(Spread(shares).text(fractionDigits: 1)) %")
    }

    private static func runOperations(_ count: Int, _ url: URL, _ manager: RequestOperationManager) throws {
        let ends = Ends(count)
        for _ in 0..<count {
            let operation = manager.operation(with: URLRequest(url: url))
            operation.setCompletionBlock { operation, _ in
                ends.recordEnd(operation.statusCode)
            } failure: { _, _ in
                ends.recordEnd(nil)
            }
            manager.operationQueue.addOperation(operation)
        }
        try ends.wait()
    }

    private static func runTasks(_ count: Int, _ url: URL, _ session: SessionManager) throws {
        let ends = Ends(count)
        for _ in 0..<count {
            session.dataTask(with: URLRequest(url: url)) { response, _, _ in
                ends.recordEnd(response?.statusCode)
            }.resume()
        }
        try ends.wait()
    }
}

// MARK: - Memory and many tasks

extension SessionsCommand {
    private func measureMemory() throws {
        let (manager, session) = (manager, session)
        guard let url = URL(string: "http://127.0.0.1:9/tiny") else { throw BenchmarkError("no URL") }
        let requests = (0..<tasks).map { _ in URLRequest(url: url) }
        _ = session.dataTask(with: requests[0]) { _, _, _ in }
        let operations = Self.heapOf { requests.map { manager.operation(with: $0).handled() } }
        let tasks = Self.heapOf { requests.map { session.dataTask(with: $0) { _, _, _ in } } }
        let (each, more) = (operations / requests.count, (tasks - operations) / requests.count)
        print("memory: \(each) bytes an operation, \(more) bytes more a data task")
    }

    private static func heapOf<Object>(_ make: () -> [Object]) -> Int {
        let before = heap_allocated_byte_count()
        return withExtendedLifetime(make()) { Int(heap_allocated_byte_count()) - Int(before) }
    }

    private func measureMany() throws {
        let session = session
        guard let url = URL(string: "http://127.0.0.1:9/tiny") else { throw BenchmarkError("no URL") }
        let request = URLRequest(url: url)
        let ends = Ends(tasks)
        var made: [SessionTask] = []
        let making = Self.seconds {
            made = (0..<tasks).map { _ in session.dataTask(with: request) { _, _, _ in ends.recordEnd(200) } }
        }
        var listed = 0
        let listing = Self.seconds { listed = session.tasks.count }
        guard listed == tasks else { throw BenchmarkError("\(listed) tasks are listed") }
        let cancelling = try Self.seconds {
            for task in made { task.cancel() }
            try ends.wait()
        }
        let text = [making, listing, cancelling].map { String(format: "%.3f s", $0) }
        print("\(tasks) tasks: made in \(text[0]), listed in \(text[1]), cancelled and told in \(text[2])")
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(body) / .seconds(1)
    }
}

extension HTTPRequestOperation {
    /// Adds a handler to the operation, as tasks have one, and returns it.
    fileprivate func handled() -> HTTPRequestOperation {
        addCompletion { _, _ in }
        return self
    }
}

/// The cost of one round of requests.
private struct RoundCost {
    /// The number of requests per second.
    let rate: Double
    /// The processor time of all threads per request, in microseconds.
    let cpu: Double

    init(of count: Int, _ body: () throws -> Void) throws {
        let before = ProcessFigures.cpuSeconds
        let seconds = try ContinuousClock().measure(body) / .seconds(1)
        rate = Double(count) / seconds
        cpu = (ProcessFigures.cpuSeconds - before) * 1e6 / Double(count)
    }
}

/// Counts the ends of requests, and waits for the last one.
private final class Ends: Sendable {
    private let state: Mutex<(left: Int, failures: Int)>
    private let isOver = DispatchSemaphore(value: 0)

    init(_ count: Int) { state = Mutex((count, 0)) }

    /// - Parameter status: the status; nil for a failed request.
    func recordEnd(_ status: Int?) {
        let isLast = state.withLock { state in
            state.left -= 1
            if status != 200 { state.failures += 1 }
            return state.left == 0
        }
        if isLast { isOver.signal() }
    }

    func wait() throws {
        isOver.wait()
        let failures = state.withLock { $0.failures }
        if failures > 0 { throw BenchmarkError("\(failures) requests failed") }
    }
}
