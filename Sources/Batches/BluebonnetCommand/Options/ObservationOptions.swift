// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// The options for files and lines that show each request, without secrets.
struct ObservationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a HAR file (HTTP Archive 1.2): an entry for each transfer, also for redirects and retries.",
            valueName: "file"), completion: .file())
    var har: String?

    @Option(
        help: ArgumentHelp(
            "Write a trace for Perfetto or chrome://tracing: requests, their waits and phases by origin.",
            valueName: "file"), completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp("Write each event as a line with a JSON object.", valueName: "file"), completion: .file())
    var log: String?

    @Flag(name: [.customShort("v"), .long], help: "Show on standard error what each request does and waits for.")
    var verbose = false

    /// The options that name files.
    var files: [NamedFile] { NamedFile.list([("--har", har), ("--trace", trace), ("--log", log)]) }

    /// The options that are given.
    var names: [String] { files.map(\.option) + (verbose ? ["--verbose"] : []) }

    var isUsed: Bool { !names.isEmpty }

    func validate() throws { try NamedFile.check(files) }
}

/// The options for the summary of a run's times.
struct SummaryOptions: ParsableArguments {
    @Flag(
        help: """
            At the end, show percentiles of the phases by origin, the wait reasons, and the chain of lines that \
            determined the time.
            """)
    var summary = false

    @Option(
        name: .customLong("summary-json"),
        help: ArgumentHelp("Write the summary with these times as a JSON object.", valueName: "file"),
        completion: .file())
    var json: String?

    /// The options that are given.
    var names: [String] { (summary ? ["--summary"] : []) + (json == nil ? [] : ["--summary-json"]) }

    var isUsed: Bool { !names.isEmpty }
}

/// An option that names a file.
struct NamedFile {
    let option, path: String

    /// Returns the options that are given.
    static func list(_ options: [(String, String?)]) -> [NamedFile] {
        options.compactMap { option, path in path.map { NamedFile(option: option, path: $0) } }
    }

    /// Checks that each file has a path, and that no other option names it. Devices are permitted.
    ///
    /// - Parameter others: files of other options, which are not compared with each other.
    static func check(_ files: [NamedFile], others: [NamedFile] = []) throws {
        var options = Dictionary(others.map { ($0.standardPath, $0.option) }) { first, _ in first }
        for file in files {
            guard !file.path.isEmpty else { throw ValidationError("\(file.option) needs the path of a file") }
            let path = file.standardPath
            if path.hasPrefix("/dev/") { continue }
            if let other = options.updateValue(file.option, forKey: path) {
                throw ValidationError("\(other) and \(file.option) name the same file, \(file.path)")
            }
        }
    }

    private var standardPath: String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
