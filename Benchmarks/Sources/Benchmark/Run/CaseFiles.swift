// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc
import Processes

/// The files of a case in the server's folder, and the checks after a client has used them.
struct CaseFiles {
    static let largeName = "large"
    /// The path of each file relative to the server's root.
    let paths: [String]
    let byteCountEach: Int64
    private let work: Work
    private let folder: URL
    private let pattern: PatternFile?

    /// Makes the files.
    init(_ work: Work, in folder: URL, _ sizes: Laboratory.Sizes) throws {
        self.work = work
        self.folder = folder
        switch work {
        case .tiny, .json, .post, .mixed, .mixedOneOrigin, .enqueued: (pattern, paths, byteCountEach) = (nil, [], 0)
        case .downloadFile, .upload, .downloadMemory:
            // Downloads to memory are a quarter as long.
            let count = work == .downloadMemory ? max(1, sizes.mebibyteCount / 4) : sizes.mebibyteCount
            let pattern = PatternFile(mebibyteCount: count)
            try pattern.write(to: folder.appendingPathComponent(Self.largeName))
            (self.pattern, paths, byteCountEach) = (pattern, [Self.largeName], pattern.byteCount)
        case .smallFiles, .largeFiles:
            let (count, length) =
                work == .smallFiles ? (sizes.smallFileCount, 2000) : (sizes.largeFileCount, 50_000_000)
            (pattern, byteCountEach) = (nil, Int64(length))
            paths = (1...count).map { "files/f\($0).bin" }
            try Self.make(paths, Data(repeating: UInt8(ascii: "b"), count: length), in: folder)
        }
    }

    private static func make(_ paths: [String], _ data: Data, in folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("files"), withIntermediateDirectories: true)
        for path in paths {
            try Interruption.check()
            try data.write(to: folder.appendingPathComponent(path))
        }
    }

    /// The options of `load` that name the files.
    var arguments: [String] {
        switch work {
        case .tiny, .json, .post, .mixed, .mixedOneOrigin, .enqueued, .smallFiles, .largeFiles: []
        case .downloadMemory: ["--expect", "\(byteCountEach)"]
        case .downloadFile: ["--expect", "\(byteCountEach)", "--output", "file", "--output-folder", output.path]
        case .upload: ["--body-file", folder.appendingPathComponent(Self.largeName).path]
        }
    }

    /// Fills as much memory as the client will fill with its downloads, and releases it.
    ///
    /// A virtual machine that returns free memory to its host gets each page back at its first use, which can take
    /// longer than the download. Without this, the first client after a pause would pay for it.
    func touchMemory() throws {
        guard [.downloadFile, .downloadMemory, .largeFiles].contains(work) else { return }
        let file = folder.appendingPathComponent("touched")
        defer { try? FileManager.default.removeItem(at: file) }
        try PatternFile(mebibyteCount: Int(byteCountEach) * paths.count >> 20).write(to: file)
    }

    private var output: URL { folder.appendingPathComponent("output") }

    /// Checks the files that a client has left. A download is compared byte for byte in the first round, and by length
    /// in the others. For an upload, checks the number of bytes that the server read.
    func checkAfterRound(isFirst: Bool) throws {
        if work == .upload { try checkUpload() }
        guard work == .downloadFile else { return }
        defer { try? FileManager.default.removeItem(at: output) }
        let file = output.appendingPathComponent("0")
        if isFirst { try pattern?.check(file) }
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
        guard size?.int64Value == byteCountEach else { throw BenchmarkError("the downloaded file has another length") }
    }

    private func checkUpload() throws {
        let log = folder.appendingPathComponent(NginxServer.sinkLog)
        let lines = try Self.lines(of: log)
        try FileHandle(forWritingTo: log).truncate(atOffset: 0)
        guard lines.count == 1, let count = Int64(lines[0]), count >= byteCountEach else {
            throw BenchmarkError(
                "the server read \(lines.joined(separator: ", ")) bytes, not one body of \(byteCountEach)")
        }
    }

    /// Returns the lines of the log. The server writes a line just after its answer, so this waits for up to 5 s.
    private static func lines(of log: URL) throws -> [Substring] {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            if !lines.isEmpty || ContinuousClock.now > deadline { return lines }
            poll(nil, 0, 1)
        }
    }

    /// Removes all files.
    func remove() {
        for name in [Self.largeName, "files", "output"] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}
