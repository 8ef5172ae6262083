// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import LoadClients
import Processes

/// Runs a command that downloads many files, and checks the files.
struct Peer {
    let contender: Contender
    /// The URL of each file.
    let urls: [URL]
    let byteCountEach: Int64
    /// The path of `bluebonnet`.
    let bluebonnetPath: String

    /// Runs the command once, into a new folder under `parent`.
    ///
    /// Small files are not deleted afterwards: whenever a file is made, ext4 skips files deleted in the last five
    /// seconds one by one, so that the next command would pay for the deletion.
    ///
    /// - Throws: a `BenchmarkError`, if the command is not installed, fails, or left other files than expected.
    func run(in parent: URL) throws -> Measured {
        let folder = parent.appendingPathComponent("output").appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { if byteCountEach >= 1 << 20 { try? FileManager.default.removeItem(at: folder) } }
        let list = parent.appendingPathComponent("list")
        try lines(folder).joined(separator: "\n").appending("\n").write(to: list, atomically: false, encoding: .utf8)
        var peak: Int64 = 0
        var process = ChildProcess(words: try words(list: list, folder: folder))
        process.interval = 20
        let outcome = try process.run { id in peak = max(peak, ProcessFigures.peakResidentByteCount(of: id) ?? 0) }
        guard outcome.status == 0 else {
            throw BenchmarkError("\(contender.title) failed with wait status \(outcome.status)")
        }
        try check(folder)
        return Measured(
            client: contender, requestCount: urls.count, concurrency: 64, byteCount: Int64(urls.count) * byteCountEach,
            wallSeconds: outcome.wallSeconds, cpuSeconds: outcome.cpuSeconds, latency: nil, peakResidentByteCount: peak)
    }

    private func check(_ folder: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let sizes = try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)
            return (attributes[.size] as? NSNumber)?.int64Value ?? -1
        }
        guard sizes.count == urls.count, sizes.allSatisfy({ $0 == byteCountEach }) else {
            throw BenchmarkError(
                "\(contender.title) left \(sizes.count) files with \(sizes.reduce(0, +)) bytes instead of "
                    + "\(urls.count) with \(byteCountEach) each")
        }
    }

    // MARK: The input of each command

    private func lines(_ folder: URL) -> [String] {
        switch contender {
        case .bluebonnetCommand:
            urls.map { #"{"url":"\#($0.absoluteString)","output":"\#(folder.path)/\#($0.lastPathComponent)"}"# }
        case .curlCommand:
            urls.map { "url = \"\($0.absoluteString)\"\noutput = \"\(folder.path)/\($0.lastPathComponent)\"" }
        default: urls.map(\.absoluteString)
        }
    }

    private func words(list: URL, folder: URL) throws -> [String] {
        switch contender {
        case .bluebonnetCommand:
            return [
                bluebonnetPath, "run", "--concurrency", "64", "--per-origin", "64", "--body", "none", "--progress",
                "never", list.path,
            ]
        case .curlCommand:
            return [
                try find("curl"), "-q", "-sS", "--no-progress-meter", "-Z", "--parallel-max", "64", "--config",
                list.path,
            ]
        case .wget2:
            return [try find("wget2"), "--no-config", "-q", "--max-threads=64", "-i", list.path, "-P", folder.path]
        case .aria2c: return [try find("aria2c"), "--no-conf", "-q", "-j", "64", "-i", list.path, "-d", folder.path]
        default: throw BenchmarkError("\(contender.rawValue) is no command")
        }
    }

    private func find(_ program: String) throws -> String {
        let package = program == "aria2c" ? "aria2" : program
        guard let path = Spawning.find(program) else {
            throw BenchmarkError("\(program) is not installed (on Debian and Ubuntu: the package \(package))")
        }
        return path
    }
}
