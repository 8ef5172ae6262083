// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

/// Runs the probe with a preloaded library that makes calls fail.
struct TorturedProbe: Sendable {
    /// A C library call, and how it fails.
    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        let errorNumber: Int32
        /// The modules whose calls fail: parts of module names, separated by commas.
        let modules: String
        /// The kinds of work that the probe does.
        let works: [String]

        var testDescription: String { name }
    }

    private static let own = "program,libcurl,libssl,libcrypto,libsqlite3,Foundation"
    private static let libraries = "libcurl,libssl,libcrypto,libz,libsqlite3,libnghttp2"

    /// The calls that fail. Swift's runtime ends the process when memory runs out, so only memory that C libraries
    /// request fails. Foundation and Dispatch end the process or report nothing when threads or epoll descriptors
    /// fail, so only libcurl's threads and the library's own epoll descriptors fail.
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

    /// Builds the preloaded library with the system's C compiler.
    init(server: TestServer, in folder: TemporaryFolder) async throws {
        (self.server, self.folder) = (server, folder)
        library = folder.path("libtorture.so")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Batches/TortureProbe/Preload/torture.c").standardized.path
        let build = try await ProgramRun(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], in: folder)
        guard build.status == 0 else { throw BuildError(text: build.errors) }
    }

    /// The compiler's error output.
    struct BuildError: Error {
        let text: String
    }

    /// The result of one run.
    struct End: Sendable {
        /// The number of calls before the torture ended.
        let callCount: Int
        /// The violations that were found.
        let faults: [String]
    }

    /// Runs the probe.
    ///
    /// - Parameter delay: if set, calls from the n-th on are late by this many microseconds instead of failing.
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

/// The report of one probe run.
private struct ProbeReport {
    /// The error codes that a failing system call may cause.
    private static let codes: Set = [
        "badServerResponse", "cannotConnect", "cannotFindHost", "cannotOpenFile", "cannotReadFile", "cannotWriteFile",
        "connectionLost", "headersTooLarge", "invalidRequest", "invalidSecurityPolicy", "secureConnectionFailed",
        "serverNotTrusted", "timedOut",
    ]
    /// OpenSSL 3.0 does not retry a failed initialization as long as the process lives. Algorithms then remain
    /// missing.
    private static let lasting: Set = ["cannotConnect", "secureConnectionFailed", "serverNotTrusted"]
    private static let successes = [
        "memory": "memory success 100000", "file": "file success 100000", "data": "data success 50000",
    ]

    let run: ProgramRun
    let call: String
    let work: String

    /// The violations in this run.
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

    /// Whether the library ended the process with a message, as Swift does, because a small C object could not be
    /// allocated.
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

    /// Each line has at most one result, and all lines have one if the batch ended. Results stay the same when the
    /// journal is reopened, and requests that may have been sent are not sent again.
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
