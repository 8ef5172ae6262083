// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Figures
import Foundation
import Glibc
import Processes

/// Measures pipelines of the command: elements compared with the same lines written out, pages, and JSONPath.
struct PipelinesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipelines",
        abstract: "Elements beside the same requests as lines, pages one after another, and JSONPath.",
        discussion: """
            One line with "each" over an array of elements is compared with a file that has a line for each of them: the \
            command in release, the same nginx, in turn. Pages are requested one after another, each by the Link of the \
            one before. JSONPath searches 10 MB of JSON that are in memory: once with the time to read the text, and \
            once without. Figures are medians (least–most). Goals: elements at 80 % of the throughput of lines and under \
            300 MiB, a plain path at 100 MB/s.
            """)

    @Option(help: "How many elements the array has.")
    var elements = 100_000

    @Option(help: "How many pages are requested.")
    var pages = 2000

    @Option(help: "How often each is measured.")
    var rounds = 3

    @Option(help: ArgumentHelp("The bluebonnet command; it is built if none is named.", valueName: "path"))
    var command: String?

    func validate() throws {
        guard elements > 0, pages > 0, rounds > 0 else { throw ValidationError("Counts have to be at least 1.") }
    }

    func run() throws {
        let program = try ReleaseCommand(path: command).path()
        try Stage.withServer(byteCount: 256 << 20) { folder, server in
            try measureElements(program, folder, server)
            try measurePages(program, folder, server)
        }
        try measurePaths()
    }

    private func measureElements(_ program: String, _ folder: URL, _ server: NginxServer) throws {
        let (tiny, list) = (try server.url("tiny").absoluteString, try server.url("list.json").absoluteString)
        let items = (0..<elements).map { #"{"id":\#($0),"name":"user \#($0)"}"# }.joined(separator: ",")
        try Data("[\(items)]".utf8).write(to: folder.appendingPathComponent("list.json"))
        let fanOut = [
            #"{"id":"list","url":"\#(list)"}"#,
            #"{"id":"d","url":"\#(tiny)?${x.id}","each":{"of":"list","as":"x"}}"#,
        ]
        let plain = (0..<elements).map { #"{"id":"d/\#($0 + 1)","url":"\#(tiny)?\#($0)"}"# }
        let batches = try [
            ("\(elements) elements", write(fanOut, "each.ndjson", folder)),
            ("\(elements) lines", write(plain, "lines.ndjson", folder)),
        ]
        var rates: [[Double]] = [[], []]
        var memory = [0.0, 0.0]
        for _ in 0..<rounds {
            for (index, batch) in batches.enumerated() {
                let run = try run(program, [batch.1, "--per-origin", "64"])
                rates[index].append(Double(elements) / run.seconds)
                memory[index] = max(memory[index], run.mebibytes)
            }
        }
        for (index, batch) in batches.enumerated() {
            Self.show(batch.0, rates[index], "requests/s, \(Int(memory[index])) MiB at most")
        }
        Self.show("elements to lines", zip(rates[0], rates[1]).map { $0 / $1 * 100 }, "%")
    }

    private func measurePages(_ program: String, _ folder: URL, _ server: NginxServer) throws {
        let url = try server.url("pages/1.json").absoluteString
        let pageFolder = folder.appendingPathComponent("pages")
        try FileManager.default.createDirectory(at: pageFolder, withIntermediateDirectories: true)
        for page in 1...pages {
            let next = page < pages ? #""\#(page + 1).json""# : "null"
            let text = #"{"items":[{"id":1},{"id":2}],"next":\#(next)}"#
            try Data(text.utf8).write(to: pageFolder.appendingPathComponent("\(page).json"))
        }
        let line = #"{"url":"\#(url)","paginate":{"next":{"url":"$.next"},"items":"$.items","max":\#(pages)}}"#
        let file = try write([line], "pages.ndjson", folder)
        let rates = try (0..<rounds).map { _ in Double(pages) / (try run(program, [file]).seconds) }
        Self.show("\(pages) pages, one after another", rates, "pages/s")
    }

    private func measurePaths() throws {
        let items = (0..<160_000).map { #"{"id":\#($0),"name":"user \#($0)","tags":["a","b"]}"# }
        let text = Data("[\(items.joined(separator: ","))]".utf8)
        let value = try JSONValue(parsing: text)
        for expression in ["$[*].id", "$[?@.id > 159990].name"] {
            let path = try JSONPath(expression)
            let megabytes = Double(text.count) / 1e6
            func rates(_ body: () throws -> Void) throws -> [Double] {
                try (0..<rounds).map { _ in megabytes / (try ContinuousClock().measure(body) / .seconds(1)) }
            }
            Self.show(
                "\(expression), read and searched", try rates { _ = try JSONValue(parsing: text).values(at: path) },
                "MB/s")
            Self.show("\(expression), searched", try rates { _ = try value.values(at: path) }, "MB/s")
        }
    }
}

extension PipelinesCommand {
    private func write(_ lines: [String], _ name: String, _ folder: URL) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        return file.path
    }

    /// Runs a batch to its end, and returns its time and its peak memory.
    private func run(_ program: String, _ arguments: [String]) throws -> (seconds: Double, mebibytes: Double) {
        let words = [program, "run"] + arguments + ["--results", "/dev/null"]
        let began = ContinuousClock.now
        let process = try Spawning.start(words)
        let (status, usage) = Spawning.wait(for: process)
        try Interruption.check()
        guard status == 0 else { throw BenchmarkError("\(words.joined(separator: " ")) ended with \(status)") }
        return ((ContinuousClock.now - began) / .seconds(1), Double(usage.ru_maxrss) / 1024)
    }

    private static func show(_ title: String, _ figures: [Double], _ unit: String) {
        let sorted = figures.sorted()
        let (least, median, most) = (sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1])
        print(String(format: "%@: %.0f %@ (%.0f–%.0f)", title, median, unit, least, most))
    }
}
