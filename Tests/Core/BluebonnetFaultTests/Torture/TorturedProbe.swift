// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

/// Runs of the probe with the library that lets calls fail.
struct TorturedProbe: Sendable {
    /// A call of the C library and how it fails.
    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        let errorNumber: Int32
        /// Who calls it: words of the names of modules.
        let modules: String
        /// What the probe does.
        let works: [String]

        var testDescription: String { name }
    }

    private static let own = "program,libcurl,libssl,libcrypto,libsqlite3,Foundation"
    private static let libraries = "libcurl,libssl,libcrypto,libz,libsqlite3,libnghttp2"

    /// Swift's own runtime ends the process where there is no memory, so only what libraries of C ask for fails; and
    /// only libcurl's threads and the library's own descriptors of epoll, because Foundation and Dispatch end the
    /// process, or do not tell, where theirs fail.
    static let calls = [
        Call(name: "socket", errorNumber: EMFILE, modules: own, works: ["memory"]),
        Call(name: "connect", errorNumber: ENETUNREACH, modules: own, works: ["memory"]),
        Call(name: "send", errorNumber: EPIPE, modules: own, works: ["memory", "data"]),
        Call(name: "recv", errorNumber: ECONNRESET, modules: own, works: ["memory", "data"]),
        Call(name: "epoll", errorNumber: ENOMEM, modules: "program", works: ["memory"]),
        Call(name: "thread", errorNumber: EAGAIN, modules: "libcurl", works: ["lookup"]),
        Call(name: "getaddrinfo", errorNumber: EAI_AGAIN, modules: "libcurl", works: ["lookup"]),
        Call(name: "open", errorNumber: EMFILE, modules: own, works: ["memory", "file", "stream", "batch"]),
        Call(name: "read", errorNumber: EIO, modules: own, works: ["file", "stream", "batch"]),
        Call(name: "write", errorNumber: ENOSPC, modules: own, works: ["file", "batch"]),
        Call(name: "fsync", errorNumber: EIO, modules: own, works: ["file", "batch"]),
        Call(name: "rename", errorNumber: EIO, modules: own, works: ["file", "batch"]),
        Call(name: "truncate", errorNumber: EIO, modules: own, works: ["file", "batch"]),
        Call(name: "malloc", errorNumber: ENOMEM, modules: libraries, works: ["memory", "file", "data", "batch"]),
    ]

    let server: TestServer
    let folder: TemporaryFolder
    private let library: String

    /// Builds the library with the system's C compiler.
    init(server: TestServer, in folder: TemporaryFolder) async throws {
        (self.server, self.folder) = (server, folder)
        library = folder.path("libtorture.so")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Batches/TortureProbe/Preload/torture.c").standardized.path
        let build = try await ProgramRun(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], in: folder)
        guard build.status == 0 else { throw BuildError(text: build.errors) }
    }

    /// The compiler's words.
    struct BuildError: Error {
        let text: String
    }

    /// How a run ended.
    struct End: Sendable {
        /// How many such calls there were before torture ended.
        let callCount: Int
        /// What is wrong.
        let faults: [String]
    }

    /// Runs the probe.
    ///
    /// - Parameter delay: microseconds by which calls are late from the n-th one on, instead of failing.
    func run(_ call: Call, _ work: String, nth: Int, delay: Int? = nil) async throws -> End {
        let place = try TemporaryFolder()
        defer { place.remove() }
        let report = place.path("report")
        let variables = [
            "LD_PRELOAD": library, "TORTURE_CALL": call.name, "TORTURE_NTH": "\(nth)",
            "TORTURE_ERRNO": "\(delay == nil ? call.errorNumber : 0)", "TORTURE_DELAY": "\(delay ?? 0)",
            "TORTURE_MODULES": call.modules, "TORTURE_REPORT": report,
        ]
        let url = "https://localhost:\(server.port)/"
        let run = try await ProgramRun(
            "TortureProbe", [work, url, try TestCertificate.localhost.caPath, place.url.path],
            environment: variables, in: folder)
        let count = (try? String(contentsOfFile: report, encoding: .utf8)).flatMap {
            Int($0.trimmingCharacters(in: .newlines))
        }
        let isHarmless = nth == 0 || delay != nil
        let title = "\(work), \(call.name) number \(nth)"
        let said = ProbeReport(run: run, call: call.name, work: work)
        var faults = said.faults(mayFail: !isHarmless).map { "\(title): \($0)" }
        if count == nil && !said.endedForWantOfMemory { faults.append("\(title): no report") }
        return End(callCount: count ?? 0, faults: faults)
    }
}

/// What the probe said.
private struct ProbeReport {
    /// What a call of the system that fails may be called.
    private static let codes: Set = [
        "badServerResponse", "cannotConnect", "cannotFindHost", "cannotOpenFile", "cannotReadFile", "cannotWriteFile",
        "connectionLost", "headersTooLarge", "invalidRequest", "invalidSecurityPolicy", "secureConnectionFailed",
        "serverNotTrusted", "timedOut",
    ]
    /// OpenSSL 3.0 remembers for as long as the process lives what it could not set up: algorithms are missing then.
    private static let lasting: Set = ["cannotConnect", "secureConnectionFailed", "serverNotTrusted"]
    private static let successes = [
        "memory": "memory success 100000", "file": "file success 100000", "data": "data success 50000",
    ]

    let run: ProgramRun
    let call: String
    let work: String

    /// What is wrong about it.
    func faults(mayFail: Bool) -> [String] {
        if mayFail && endedForWantOfMemory { return [] }
        var faults: [String] = []
        if run.status != 0 { faults.append("ended with \(run.status)") }
        if !run.errors.isEmpty { faults.append("wrote \(run.errors.prefix(500))") }
        let lines = run.output.split(separator: "\n").map(String.init)
        if lines.last != "end" { faults.append("did not reach its end: \(lines)") }
        let first = said("outcome ", lines)
        if work == "batch" { return faults + batchFaults(first, said("again ", lines), mayFail) }
        let mayLast = mayFail && call == "malloc"
        let again = said("again ", lines).filter { !isRight($0, mayLast ? Self.lasting : []) }
        let wrong = first.filter { !isRight($0, mayFail ? Self.codes : []) } + again
        return first.isEmpty || !wrong.isEmpty ? faults + ["\(lines)"] : faults
    }

    /// Where a small object of C cannot be had, the library ends the process with a sentence, as Swift does.
    var endedForWantOfMemory: Bool {
        call == "malloc" && run.status == 128 + SIGILL
            && ["OpenSSL is out of memory", "libcurl is out of memory"].contains { run.errors.contains($0) }
    }

    private func said(_ word: String, _ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix(word) }.map { String($0.dropFirst(word.count)) }
    }

    private func isRight(_ line: String, _ codes: Set<String>) -> Bool {
        if line == Self.successes[work] { return true }
        let words = line.split(separator: " ").map(String.init)
        guard words.count > 2 else { return false }
        if work == "stream" && words[1] == "success" { return Int(words[2]) ?? 0 > 500 }
        if work == "lookup" && ["cannotFindHost", "timedOut"].contains(words[2]) { return words[1] == "failure" }
        return words[1] == "failure" && codes.contains(words[2])
    }

    /// Each line at most once, and all of them where the batch ended. What ended stays so when the journal is opened
    /// again, and what may have been sent is not sent again.
    private func batchFaults(_ first: [String], _ again: [String], _ mayFail: Bool) -> [String] {
        let successes: Set = ["first success 1000", "second success 2000", "third success 1"]
        for (lines, isTortured) in [(first, mayFail), (again, false)] {
            let results = lines.filter { !$0.hasPrefix("batch ") }
            let ids = results.map { $0.prefix { $0 != " " } }
            guard Set(ids).count == ids.count else { return ["two results: \(lines)"] }
            if isTortured, lines.last?.hasPrefix("batch thrown") == true { continue }
            guard lines.last == "batch ended 3", ids.count == 3 else { return ["no end: \(lines)"] }
            let known = isTortured ? [] : successes.union(first)
            let wrong = results.filter { line in
                isTortured
                    ? line.contains("success") && !successes.contains(line)
                    : !known.contains(line) && !line.hasPrefix("third unknown")
            }
            if !wrong.isEmpty { return ["\(lines) after \(first)"] }
        }
        return []
    }
}
