// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import FaultServer
import Figures
import Foundation

/// Runs one case with one client: starts servers, runs a process, and returns a verdict. Each run has separate servers
/// and a separate process.
struct CaseRunner: Sendable {
    let identities: IdentityFolder
    let trust: TrustedMount
    /// The folder for the files of the runs.
    let folder: URL
    let curl: String
    /// The path of this executable.
    let executable: String

    /// The time after which a case counts as hanging. The time limits of the cases are shorter, except
    /// `longerThanHang`.
    static let hangLimit = Duration.seconds(30)

    func run(_ testCase: FaultCase, _ client: Client) throws -> Verdict {
        if let reason = testCase.notOffered[client] { return .notOffered(reason) }
        if client == .urlSession, testCase.needsAuthority, !trust.isPossible {
            return .notOffered("on Linux, it cannot be told whom to trust")
        }
        let own = folder.appendingPathComponent("\(testCase.name).\(client.rawValue)")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: own) }
        var servers: [FaultServer] = []
        defer { for server in servers { server.stop() } }
        for plan in testCase.servers { servers.append(try FaultServer(plan, identities)) }
        let origins = Origins(zip(testCase.servers, servers).map { ($0.origin, $1.port) })
        for server in servers { server.set(origins) }
        let attempt = try attempt(try plan(testCase, origins, own), client, own)
        return Judge.verdict(testCase, attempt, servers.map(\.report))
    }

    // MARK: - The process

    private func attempt(_ plan: Plan, _ client: Client, _ own: URL) throws -> Attempt {
        let output = own.appendingPathComponent("output")
        let errors = own.appendingPathComponent("errors")
        let group = ChildGroup(
            words: try words(plan, client, own), outputFile: output, errorFile: errors, limit: Self.hangLimit)
        let (end, memory) = try group.run()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        var outcomes = client == .curl ? CurlCommand.outcomes(text, plan) : Self.outcomes(text)
        if client == .curl, end == .exited {
            // A command that rejects its arguments prints a reason and no outcome.
            let said = String(decoding: try Data(contentsOf: errors).prefix(300), as: UTF8.self)
            let known = Set(outcomes.map(\.index))
            outcomes += plan.requests.indices.filter { !known.contains($0) }.map { .failure($0, said) }
        }
        let deliveries = outcomes.map { outcome in
            Attempt.Delivery(outcome, body: Self.prefix(of: plan.requests[outcome.index].outputFile))
        }
        return Attempt(
            end: Self.explained(end, errors), deliveries: deliveries, peakResidentByteCount: memory)
    }

    private func words(_ plan: Plan, _ client: Client, _ own: URL) throws -> [String] {
        guard client != .curl else { return [curl] + CurlCommand.words(plan) }
        let file = own.appendingPathComponent("plan")
        try JSONEncoder().encode(plan).write(to: file)
        let words = [executable, "attempt", client.rawValue, file.path]
        return client == .urlSession && plan.authorityFile != nil ? trust.around(words) : words
    }

    private static func outcomes(_ text: String) -> [Outcome] {
        text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Outcome.self, from: Data($0.utf8)) }
    }

    private static func prefix(of path: String) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        return Array((try? handle.read(upToCount: Attempt.bodyPrefixByteCount)) ?? Data())
    }

    /// Returns the end of a process, with the first line that it printed about a crash.
    private static func explained(_ end: Attempt.End, _ errors: URL) -> Attempt.End {
        guard case .crashed(let reason) = end, let said = try? String(contentsOf: errors, encoding: .utf8) else {
            return end
        }
        let line = said.split(separator: "\n").first { $0.contains("rror") }
        return .crashed(line.map { "\(reason): \($0.prefix(160))" } ?? reason)
    }

    // MARK: - The plan

    private func plan(_ testCase: FaultCase, _ origins: Origins, _ own: URL) throws -> Plan {
        let requests = try testCase.requests.enumerated().map { index, request in
            try planned(request, index, origins, own)
        }
        return Plan(
            requests: requests, order: testCase.order, limits: testCase.limits,
            authorityFile: testCase.needsAuthority ? identities.authorityFile : nil)
    }

    private func planned(
        _ request: FaultCase.Request, _ index: Int, _ origins: Origins, _ own: URL
    ) throws -> Plan.Request {
        var planned = Plan.Request(
            url: origins.fill(request.url), outputFile: own.appendingPathComponent("body-\(index)").path)
        planned.method = request.method
        planned.fields = request.fields
        planned.downloads = request.downloads
        planned.credential = request.credential
        planned.bodyLimit = request.bodyLimit
        planned.pin = try request.pin.map { try identities.pin(of: $0) }
        planned.refusesInsecureRedirects = request.refusesInsecureRedirects
        planned.cancelsAfter = request.cancelsAfter
        if let body = request.body {
            let file = own.appendingPathComponent("sent-\(index)")
            planned.bodyFile = file.path
            switch body {
            case .memory(let text): try Data(text.utf8).write(to: file)
            case .file(let text):
                try Data(text.utf8).write(to: file)
                planned.sendsFile = true
            case .largeFile(byteCount: let count):
                try Data(repeating: 98, count: count).write(to: file)
                planned.sendsFile = true
            }
        }
        return planned
    }
}
