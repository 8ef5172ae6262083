// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import FoundationNetworking
import Synchronization
import Testing

private let base = URL(string: "https://api.example.com/v1/")!

/// Stands for a metrics system.
private final class Metrics: Sendable {
    let values = Observed([String: Double]())

    func increment(_ name: String, _ host: String, _ outcome: String) { add("\(name) \(outcome)", host, 1) }

    func add(_ name: String, _ host: String, _ amount: Double) {
        values.update { $0["\(name) \(host)", default: 0] += amount }
    }
}

private struct Recorder: Sendable {
    let metrics = Metrics()

    // BLOCK LoggingAndMetrics.md
    func record(_ operation: HTTPRequestOperation) {
        let summary = operation.summary
        let host = operation.request?.url?.host ?? "-"
        let outcome = operation.error?.code.rawValue ?? "success"
        metrics.increment("requests", host, outcome)
        metrics.add("transfers", host, Double(summary.transferCount))
        metrics.add("seconds", host, summary.timings.total / .seconds(1))
    }
    // END
}

extension PageTests {
    @Test func monitorPrintsEachRequest() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        printed.update { $0 = [] }
        // BLOCK LoggingAndMetrics.md
        final class RequestLog: EventMonitor {
            let kinds: RequestEvent.Kinds = .finished

            func receive(_ events: [RequestEvent]) {
                for event in events {
                    guard case .finished(let end) = event.kind else { continue }
                    let outcome =
                        end.errorCode?.rawValue
                        ?? "\(end.statusCode ?? 0)"
                    print(event.name ?? "-", outcome, end.summary)
                }
            }
        }
        manager.eventMonitors = [RequestLog()]
        // END
        let operation = manager.operation("GET", "me")
        operation.name = "me"
        try await manager.run(operation)
        await EventMonitors.flush()
        await printed.becomes { $0.contains { $0.hasPrefix("me 200 1 transfer; ") } }
    }

    @Test func monitorCountsEvents() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        // BLOCK EventMonitor.swift
        final class Counter: EventMonitor {
            let count = Atomic(0)

            func receive(_ events: [RequestEvent]) {
                count.wrappingAdd(events.count, ordering: .relaxed)
            }
        }

        let counter = Counter()
        manager.eventMonitors = [counter]
        // END
        let _: JSONValue = try await manager.get("me")
        await EventMonitors.flush()
        #expect(counter.count.load(ordering: .relaxed) >= 5)
    }

    @Test func statisticsArePrinted() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        _ = await manager.statistics  // an earlier reading
        let _: JSONValue = try await manager.get("me")
        printed.update { $0 = [] }
        // BLOCK LoggingAndMetrics.md
        let statistics = await manager.statistics
        print("in flight", statistics.inFlightCount)
        print("failed", statistics.failedCount)
        for origin in statistics.origins {
            print(
                origin.origin, origin.openConnectionCount,
                origin.p95?.description ?? "-")
        }
        // END
        #expect(printed.value.prefix(2) == ["in flight 0", "failed 0"])
        #expect(printed.value.contains { $0.hasPrefix("https://api.example.com:443 0 ") })
    }

    @Test func waitsOfABatchAreSummed() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        let operations = (0..<3).map { _ in manager.operation("GET", "me") }
        operations[1].addDependency(operations[0])
        for operation in operations { manager.enqueue(operation) }
        for operation in operations { _ = try await operation.value(as: JSONValue.self) }
        printed.update { $0 = [] }
        // BLOCK LoggingAndMetrics.md
        var waits: [WaitReason.Kind: Duration] = [:]
        for operation in operations {
            waits.merge(operation.summary.timings.waits, uniquingKeysWith: +)
        }
        for (reason, time) in waits.sorted(by: { $0.value > $1.value }) {
            print(reason, time)
        }
        // END
        #expect(printed.value.contains { $0.hasPrefix("dependency ") })
    }

    @Test func everyRequestWritesOneLine() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK LoggingAndMetrics.md
            manager.configure = { operation in
                operation.addCompletion { operation, result in
                    switch result {
                    case .success:
                        if let head = operation.responseHead {
                            print(head, operation.summary)
                        }
                    case .failure(let error):
                        print(error, operation.summary)
                    }
                }
            }
            // END
            let _: JSONValue = try await manager.get("me")
            await #expect(throws: NetworkingError.self) { try await manager.get("articles/7") }
            await printed.becomes { lines in
                lines.contains { $0.hasPrefix("200 ") && $0.contains("/v1/me) 1 transfer; ") }
                    && lines.contains {
                        $0.hasPrefix("unacceptableStatus: ") && $0.contains(", transfer 1) 1 transfer")
                    }
            }
        }
    }

    @Test func metricsCountRequestsAndTransfers() async throws {
        let manager = RequestOperationManager(baseURL: base) { request in
            request.path == "/v1/old" ? .redirect(to: "/v1/new") : .json(["a"])
        }
        let (recorder, operation) = (Recorder(), manager.operation("GET", "old"))
        try await manager.run(operation)
        recorder.record(operation)
        let values = recorder.metrics.values.value
        #expect(values["requests success api.example.com"] == 1)
        #expect(values["transfers api.example.com"] == 2)
        #expect(values["seconds api.example.com"] ?? 0 > 0)
    }

    @Test func redirectsArePrintedAndFollowed() async throws {
        let manager = RequestOperationManager(baseURL: base) { request in
            request.path == "/v1/old" ? .redirect(to: "/v1/new") : .json(["a"])
        }
        printed.update { $0 = [] }
        // BLOCK LoggingAndMetrics.md
        manager.onRedirect = { operation, proposed, response in
            print(response.statusCode, "->", proposed.url?.host ?? "-")
            return proposed
        }
        // END
        let value: JSONValue = try await manager.get("old")
        #expect(value == ["a"] && printed.value == ["302 -> api.example.com"])
    }

    @Test func suspendedQueueIsTheReasonToWait() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        manager.operationQueue.isSuspended = true
        let waiting = manager.enqueue(manager.operation("GET", "me"))
        printed.update { $0 = [] }
        // BLOCK LoggingAndMetrics.md
        for operation in manager.operationQueue.operations {
            guard let request = operation as? RequestOperation,
                let reason = await request.waitReason
            else { continue }
            print(request, reason)
        }
        // END
        #expect(printed.value.count == 1)
        #expect(printed.value.first?.hasSuffix("the queue is suspended") == true)
        waiting.cancel()
    }

    @Test func requestIsPrintedAsCurlCommand() async throws {
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        printed.update { $0 = [] }
        // BLOCK LoggingAndMetrics.md
        let operation = manager.operation("GET", "me")
        try await manager.run(operation)
        print(operation.curlCommand() ?? "no request yet")
        // END
        let line = printed.value.first ?? ""
        #expect(line.hasPrefix("curl ") && line.hasSuffix(" https://api.example.com/v1/me"))
    }

    @Test func activityIsPrinted() async {
        printed.update { $0 = [] }
        // BLOCK LoggingAndMetrics.md
        let watch = Task {
            for await isActive in NetworkActivityMonitor.shared.states {
                print(isActive ? "busy" : "idle")
            }
        }
        // END
        await printed.becomes { !$0.isEmpty }
        watch.cancel()
        await watch.value
    }
}
