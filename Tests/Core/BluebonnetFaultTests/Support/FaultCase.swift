// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers

/// Requests through a proxy with random faults, run in a separate process.
struct FaultCase: Codable, Sendable {
    let server: FaultTarget.Server
    let httpVersion: HTTPProtocolVersion
    let port: Int
    let authorityFile: String?
    let canary: URL
    let seed: UInt64

    private static let roundCount = 8

    private func target(_ port: Int) -> FaultTarget {
        FaultTarget(server, port: port, authorityFile: authorityFile, httpVersion: httpVersion)
    }

    /// Runs the requests and returns the violated invariants.
    func faults() async throws -> [String] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // Later connections have no faults, so a download that is resumed often enough completes.
        var limits = FaultSchedule.Limits()
        limits.connectionCount = 60
        limits.largestByteCount = 120_000
        // gunicorn passes a truncated body to its application as if it were complete.
        limits.halfClosesRequests = server != .httpbin
        let proxy = try await FaultProxy.start(toPort: port)
        let run = FaultRun(target: target(proxy.port), manager: try manager(), folder: folder)
        var found: [String] = []
        var tally: [String: Int] = [:]
        found = try await Invariants.faults(canary: canary) {
            _ = await run.round(0, OutcomeLedger())
            proxy.set(FaultSchedule(seed: seed, limits: limits))
        } of: { ledger in
            for number in 1...Self.roundCount {
                for verdict in await run.round(number, ledger) { tally["\(verdict)", default: 0] += 1 }
            }
            if server != .h2, let fault = await run.resume(ledger) { tally[fault, default: 0] += 1 }
            await proxy.cut()
        }
        let connectionCount = proxy.connectionCount
        await proxy.stop()
        let wrong = tally.keys.filter { $0.hasPrefix("wrong") }
        if tally["right"] == nil { found.append("nothing succeeded") }
        let counts = tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("\(server) \(FaultSchedule(seed: seed)): \(counts), \(connectionCount) connections")
        return found + wrong
    }

    private func manager() throws -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.responseSerializer = HTTPResponseSerializer()
        configuration.transferOptions = try target(port).options
        return RequestOperationManager(configuration: configuration)
    }
}

/// The requests of one case.
private struct FaultRun {
    let target: FaultTarget
    let manager: RequestOperationManager
    let folder: TemporaryFolder

    /// Sends one request of each kind, all at once, and returns their verdicts.
    func round(_ number: Int, _ ledger: OutcomeLedger) async -> [FaultRequest.Verdict] {
        let requests = target.works.map { work in
            FaultRequest(
                work, number, to: target, by: manager,
                file: folder.url.appendingPathComponent("\(work)-\(number)"))
        }
        for request in requests { manager.enqueue(ledger.track(request.operation, request.name)) }
        for request in requests { try? await request.operation.waitUntilEnded() }
        return requests.map(\.verdict)
    }

    /// Downloads one file and resumes it after each failure until it is complete. Returns what is wrong.
    func resume(_ ledger: OutcomeLedger) async -> String? {
        let file = folder.url.appendingPathComponent("resumed")
        for attempt in 0..<80 {
            let request = FaultRequest(.file, 3, to: target, by: manager, file: file)
            manager.enqueue(ledger.track(request.operation, "\(request.name), attempt \(attempt)"))
            try? await request.operation.waitUntilEnded()
            switch request.verdict {
            case .right: return nil
            case .failed: continue
            case .wrong(let text): return "wrong(\(text))"
            }
        }
        return "wrong(a download never ended)"
    }
}
