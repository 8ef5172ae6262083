// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The page "Locks and waits" lists every place where a thread can block.
@Suite(.timeLimit(.minutes(1))) struct WaitsTests {
    /// Functions that block or can block.
    private static let functions = [
        "CFRunLoopRunInMode", "curl_easy_perform", "curl_multi_poll", "curl_multi_wait", "epoll_wait", "fdatasync",
        "flock", "fsync", "getaddrinfo", "nanosleep", "pause", "poll", "pthread_cond_wait", "pthread_join",
        "pthread_mutex_lock", "readLine", "select", "sigwait", "sleep", "usleep", "waitpid",
    ]
    /// Members that block.
    private static let members = [
        ".asyncAndWait(", ".sync {", ".sync(", ".wait()", ".wait(timeout", ".wait(wallTimeout",
        ".waitUntilAllOperationsAreFinished()", ".waitUntilExit()", ".waitUntilFinished()", "NSCondition",
        "Thread.sleep(", "bluebonnet_sync_file_system(", "busyMode", "concurrentPerform(",
    ]
    /// Text of lines that declare such a function, suspend a task instead, or do not block.
    private static let exceptions = ["await ", "func ", "static inline", "LOCK_NB", "LOCK_UN", "WNOHANG"]

    /// The blocking calls of a file, as type and member, or as the name of a global function.
    static func waits(in lines: [Substring]) -> Set<String> {
        var waits: Set<String> = []
        var (type, member) = ("", "")
        for line in lines {
            let code = line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
            switch code.prefix(while: { $0 == " " }).count {
            case 0 where code.first.map { !"})@".contains($0) } == true:
                type = name(in: code, after: ["actor", "class", "enum", "extension", "protocol", "struct"]) ?? ""
                member = name(in: code, after: ["func"]) ?? functionOfC(code) ?? ""
            case 4 where !type.isEmpty: member = name(in: code, after: ["func", "init", "let", "var"]) ?? member
            default: break
            }
            if isWait(code) { waits.insert(type.isEmpty ? member : "\(type).\(member)") }
        }
        return waits
    }

    private static func isWait(_ code: Substring) -> Bool {
        guard !exceptions.contains(where: { code.contains($0) }) else { return false }
        return members.contains { code.contains($0) } || functions.contains { calls($0, code) }
    }

    private static func calls(_ function: String, _ code: Substring) -> Bool {
        guard let range = code.range(of: function + "(") else { return false }
        let before = code[..<range.lowerBound]
        guard let last = before.last else { return true }
        return before.hasSuffix("Glibc.") || !(last.isLetter || last.isNumber || last == "_" || last == ".")
    }

    private static func name(in code: Substring, after keywords: Set<String>) -> String? {
        let words = code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        guard let index = words.firstIndex(where: { keywords.contains(String($0)) }) else { return nil }
        return words[index] == "init" ? "init" : words.dropFirst(index + 1).first.map(String.init)
    }

    private static func functionOfC(_ code: Substring) -> String? {
        guard let bracket = code.firstIndex(of: "(") else { return nil }
        return code[..<bracket].split { !($0.isLetter || $0.isNumber || $0 == "_") }.last.map(String.init)
    }

    private static let found: Set<String> = {
        let files = StyleTests.sources + StyleTests.sourcesInC
        let users = files.filter { !$0.path.hasSuffix("/Mutex.swift") }
        return users.reduce(into: []) { $0.formUnion(waits(in: $1.lines)) }
    }()

    /// The names in the first column of the page's tables of waits.
    private static func listed() throws -> Set<String> {
        let page = try DocumentationTests.page("LocksAndWaits.md")
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("Waits\n") } ?? ""
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let columns = rows.compactMap { $0.split(separator: "|").first }
        let names = columns.flatMap { $0.split(separator: "`") }.filter { $0.first?.isLetter == true }
        return Set(names.map(String.init))
    }

    @Test func everyWaitIsListedOnThePage() throws {
        #expect(Self.found.count > 30)
        #expect(Self.found.subtracting(try Self.listed()).sorted() == [])
    }

    @Test func pageListsOnlyExistingWaits() throws {
        #expect(try Self.listed().subtracting(Self.found).sorted() == [])
    }

    @Test(arguments: [
        ("queue.sync {}", true), ("done.wait()", true), ("group.wait(timeout: .now())", true), ("usleep(10)", true),
        ("_ = Glibc.poll(&entry, 1, -1)", true), ("DispatchQueue.main.asyncAndWait(execute: work)", true),
        ("await gate.wait()", false), ("transfer.pause()", false), ("flock(descriptor, LOCK_EX | LOCK_NB)", false),
        ("timers.wait(until: instant) {", false), ("queue.async {", false),
    ]) func blockingCallsAreRecognized(code: String, isWait: Bool) {
        let lines: [Substring] = ["enum Example {", "    func call() {", "        \(code)", "    }", "}"]
        #expect(Self.waits(in: lines) == (isWait ? ["Example.call"] : []))
    }
}
