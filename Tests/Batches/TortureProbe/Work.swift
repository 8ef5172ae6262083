// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetJournal
import BluebonnetLocks
import Foundation
import FoundationNetworking

/// The work that the probe does, once or repeatedly.
struct Work {
    enum Kind: String {
        /// A GET to memory.
        case memory
        /// A download to a file that is synced to disk.
        case file
        /// A POST of bytes in memory.
        case data
        /// A POST of a file.
        case stream
        /// A GET to a name that does not exist.
        case lookup
        /// Three request lines, one after another, with a journal.
        case batch
    }

    let kind: Kind
    let baseURL: String
    let authorityFile: String
    let folder: URL

    /// Runs the work and returns how each request ended.
    ///
    /// - Parameter whenEnded: called when the requests have ended, before files are read.
    func run(whenEnded: @escaping @Sendable () -> Void = {}) async -> [String] {
        var options = TransferOptions()
        do {
            options.securityPolicy = try SecurityPolicy(authorities: .file(authorityFile))
        } catch {
            return ["policy failure \(error.code.rawValue)"]
        }
        options.timeouts = Timeouts(connect: .seconds(4), idle: .seconds(4), total: .seconds(8))
        options.syncsFilesToDisk = true
        defer { whenEnded() }
        if kind == .batch { return await runBatch(options) }
        var configuration = RequestOperationManager.Configuration()
        configuration.transferOptions = options
        configuration.responseSerializer = HTTPResponseSerializer()
        let manager = RequestOperationManager(configuration: configuration)
        return [await end(of: operation(by: manager), whenEnded)]
    }

    private func operation(by manager: RequestOperationManager) -> HTTPRequestOperation {
        switch kind {
        case .lookup: return manager.operation("GET", "https://bluebonnet.invalid/")
        case .memory, .batch: return manager.operation("GET", baseURL + "bytes/100000")
        case .file:
            let operation = manager.operation("GET", baseURL + "bytes/100000")
            operation.outputFile = folder.appendingPathComponent("file")
            return operation
        case .data: return manager.operation("POST", baseURL + "count", body: .data(Data(count: 50_000)))
        case .stream:
            let operation = manager.operation("POST", baseURL + "count")
            operation.uploadFile = URL(fileURLWithPath: authorityFile)
            return operation
        }
    }

    private func end(of operation: HTTPRequestOperation, _ whenEnded: () -> Void) async -> String {
        let outcomeCount = Mutex(0)
        operation.addCompletion { _, _ in outcomeCount.withLock { $0 += 1 } }
        operation.start()
        let result = await withCheckedContinuation { done in
            operation.addCompletion { _, result in done.resume(returning: result) }
        }
        whenEnded()
        guard outcomeCount.withLock({ $0 }) == 1 else { return "\(kind) outcomes" }
        if case .failure(let error) = result {
            return "\(kind) failure \(error.code.rawValue) \(error.message) [\(error.underlying.map { "\($0)" } ?? "")]"
        }
        guard kind == .file else { return "\(kind) success \(Self.text(operation.responseData))" }
        let file = operation.downloadedFile.flatMap { FileManager.default.contents(atPath: $0.path) }
        return "\(kind) success \(Self.text(file))"
    }

    /// The text of a short body. For a long body, its length, marked as altered if the bytes are wrong.
    private static func text(_ data: Data?) -> String {
        guard let data else { return "nothing" }
        if data.count < 100 { return String(decoding: data, as: UTF8.self) }
        let isRight = data.enumerated().allSatisfy { $1 == UInt8(ascii: "a") + UInt8($0 % 26) }
        return isRight ? "\(data.count)" : "\(data.count)-altered"
    }

    private func runBatch(_ options: TransferOptions) async -> [String] {
        var settings = RequestLineRunner.Settings()
        settings.baseURL = URL(string: baseURL)
        settings.transferOptions = options
        var lines = [RequestLine(id: "first", url: "bytes/1000"), RequestLine(id: "second", url: "bytes/2000")]
        lines.append(RequestLine(id: "third", method: "POST", url: "count", body: .text("12345")))
        lines[1].after = ["first"]
        lines[2].after = ["second"]
        let results = Mutex<[String]>([])
        do {
            let journal = SQLiteJournal(path: folder.appendingPathComponent("journal").path)
            let outcome = try await DurableBatch(of: lines, journal: journal, settings: settings).run { result in
                let code = result.error.map { " \($0.code.rawValue)" } ?? ""
                results.withLock { $0.append("\(result.id) \(result.outcome.rawValue)\(code) \(result.bytes ?? 0)") }
            }
            return results.withLock { $0 } + ["batch ended \(outcome.totalCount)"]
        } catch {
            return results.withLock { $0 } + ["batch thrown \(error)"]
        }
    }
}
