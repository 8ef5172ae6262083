// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures
import Foundation
import Glibc
import LoadClients
import Processes

/// Runs the cases of a benchmark, one round of one contender at a time, against one server.
///
/// It makes the files of a case before the case and removes them after it.
final class Laboratory {
    /// The sizes and counts of the measured work.
    struct Sizes {
        var seconds = 0.25
        /// The number of mixed requests in a round; nil means as many as take `seconds`.
        var mixedCount: Int?
        /// Whether no client decodes answers of mixed traffic.
        var keepsBytes = false
        var mebibyteCount = 1024
        var enqueuedCount = 100_000
        var smallFileCount = 3000
        var largeFileCount = 20

        /// The approximate size of the server's folder at any time, in bytes: a file, its copy and an upload.
        var byteCount: Int64 { max(Int64(3 * mebibyteCount) << 20, Int64(2 * largeFileCount) * 50_000_000) }
    }

    private let server: NginxServer
    private let folder: URL
    private let sizes: Sizes
    private let roundCount: Int
    private let bluebonnetPath: () throws -> String
    /// The failures, one sentence for each contender that was removed from a case.
    private(set) var failures: [String] = []

    init(
        _ server: NginxServer, _ folder: URL, _ sizes: Sizes, roundCount: Int,
        bluebonnetPath: @escaping () throws -> String = { throw BenchmarkError("no command takes part") }
    ) {
        self.server = server
        self.folder = folder
        self.sizes = sizes
        self.roundCount = roundCount
        self.bluebonnetPath = bluebonnetPath
    }

    /// Measures cases one by one, and prints the table of each.
    func measure(_ cases: [(testCase: Case, contenders: [Contender])]) throws -> [CaseReport] {
        try cases.map { testCase, contenders in
            let report = try measure(testCase, contenders)
            print(report.text + "\n")
            fflush(nil)
            return report
        }
    }

    /// Prints the failures and ends the program with status 1, if a contender was removed from a case.
    static func check(_ failures: [String]) throws {
        guard !failures.isEmpty else { return }
        print("\nWhat failed and is left out:\n" + failures.joined(separator: "\n"))
        throw ExitCode.failure
    }

    /// Measures a case: a trial of each contender if there are many requests, then interleaved rounds.
    func measure(_ testCase: Case, _ contenders: [Contender]) throws -> CaseReport {
        let files = try CaseFiles(testCase.work, in: folder, sizes)
        defer { files.remove() }
        var contenders = contenders
        var plans: [Contender: Trial] = [:]
        for contender in contenders {
            plans[contender] = try attempt(testCase, contender) { try trial(testCase, contender) }
        }
        contenders.removeAll { plans[$0] == nil }
        var rounds: [Contender: [Measured]] = [:]
        for round in 0..<roundCount {
            // Shuffled, because the state of memory and caches depends on the previous contender.
            for contender in contenders.shuffled() {
                guard let plan = plans[contender] else { continue }
                let measured = try attempt(testCase, contender) {
                    try self.round(testCase, contender, plan, files, isFirst: round == 0)
                }
                rounds[contender, default: []] += measured.map { [$0] } ?? []
                if measured == nil { plans[contender] = nil }
            }
        }
        return CaseReport(testCase, rounds: rounds.filter { plans[$0.key] != nil })
    }

    /// The result of a trial: the number of requests in a round, and the allocations per request.
    private struct Trial {
        let requestCount: Int
        let allocationsPerRequest: Double?
    }

    /// Records an error, unless it is an interruption, and returns nil: the contender is then removed from the case.
    private func attempt<Result>(
        _ testCase: Case, _ contender: Contender, _ body: () throws -> Result
    ) throws -> Result? {
        do {
            return try body()
        } catch {
            try Interruption.check()
            failures.append("\(testCase.title): \(contender.title): \(error)")
            return nil
        }
    }

    private func trial(_ testCase: Case, _ contender: Contender) throws -> Trial {
        switch testCase.work {
        case .enqueued: return Trial(requestCount: sizes.enqueuedCount, allocationsPerRequest: nil)
        case .downloadFile, .downloadMemory, .upload, .smallFiles, .largeFiles:
            return Trial(requestCount: 1, allocationsPerRequest: nil)
        case .tiny, .json, .post, .mixed, .mixedOneOrigin:
            let count = max(300, 2 * testCase.concurrency)
            if contender == .h2load {
                let rate = try loadGenerator(testCase).run(count: count, in: folder).requestsPerSecond
                return Trial(
                    requestCount: Grid.requestCount(
                        rate: rate, seconds: sizes.seconds, concurrency: testCase.concurrency),
                    allocationsPerRequest: nil)
            }
            let arguments = try arguments(testCase, count) + ["--count-allocations"]
            let measured = try LoadProcess(contender: contender, arguments: arguments).run().measurement
            let wanted = testCase.work.mixedOriginCount == nil ? nil : sizes.mixedCount
            return Trial(
                requestCount: wanted
                    ?? Grid.requestCount(
                        rate: measured.requestsPerSecond, seconds: sizes.seconds, concurrency: testCase.concurrency),
                allocationsPerRequest: measured.allocationsPerRequest)
        }
    }

    private func round(
        _ testCase: Case, _ contender: Contender, _ plan: Trial, _ files: CaseFiles, isFirst: Bool
    ) throws -> Measured {
        try files.touchMemory()
        if testCase.work.isForCommands {
            let peer = Peer(
                contender: contender, urls: try files.paths.map { try server.url($0) },
                byteCountEach: files.byteCountEach, bluebonnetPath: try bluebonnetPath())
            return try peer.run(in: folder)
        }
        if contender == .h2load { return try loadGenerator(testCase).run(count: plan.requestCount, in: folder) }
        let arguments = try arguments(testCase, plan.requestCount) + files.arguments
        var measured = try LoadProcess(contender: contender, arguments: arguments).run().measurement
        measured.allocationsPerRequest = plan.allocationsPerRequest
        try files.checkAfterRound(isFirst: isFirst)
        return measured
    }

    private func loadGenerator(_ testCase: Case) throws -> LoadGenerator {
        LoadGenerator(
            url: try server.url("tiny", testCase.wire), wire: testCase.wire, concurrency: testCase.concurrency)
    }

    /// Returns the options of `load` for a case.
    private func arguments(_ testCase: Case, _ count: Int) throws -> [String] {
        var words = ["--count", "\(count)", "--concurrency", "\(testCase.concurrency)"]
        if testCase.wire != .plain {
            words += ["--ca-file", folder.appendingPathComponent(Certificate.authorityFile).path]
        }
        switch testCase.work {
        case .tiny: return words + ["--url", try url("tiny", testCase), "--expect", "13"]
        case .enqueued: return words + ["--url", try url("tiny", testCase), "--expect", "13", "--at-once"]
        case .json:
            return words + [
                "--url", try url("json", testCase), "--decode", "--expect", "\(JSONDocument.large.byteCount)",
            ]
        case .post:
            return words + [
                "--url", try url("tiny", testCase), "--method", "POST", "--body-bytes", "1024", "--expect", "13",
            ]
        case .mixed, .mixedOneOrigin:
            let origins = server.mixedOrigins.prefix(testCase.work.mixedOriginCount ?? 1)
            if sizes.keepsBytes { words.append("--keep-bytes") }
            return words + ["--mix"] + origins + ["--expect", "\(JSONDocument.small.byteCount)"]
        case .downloadFile, .downloadMemory:
            return words + ["--url", try url(CaseFiles.largeName, testCase)] + (try warmUp(testCase))
        case .upload: return words + ["--url", try url("sink", testCase), "--method", "PUT"] + (try warmUp(testCase))
        case .smallFiles, .largeFiles: throw BenchmarkError("\(testCase.title) is not for clients")
        }
    }

    private func warmUp(_ testCase: Case) throws -> [String] {
        ["--warm-up-url", try url("tiny", testCase), "--warm-up", "20"]
    }

    private func url(_ path: String, _ testCase: Case) throws -> String {
        try server.url(path, testCase.wire).absoluteString
    }
}
