// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Figures
import Foundation
import FoundationNetworking
import LoadClients
import Processes

/// Measures the cost of serialization: time, memory, and the delay of other requests.
struct SerializationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serialization",
        abstract: "Queries of many parameters, a large multipart upload, and small requests beside large JSON bodies.",
        discussion: """
            The memory is the most that the process had resident when the upload had ended, the server that throws the \
            body away included. The delay is what the slowest of many small requests, one after another, took beside \
            the large bodies, less what the median one took alone: from the server that sends the large bodies, whose \
            only worker has them to send first, and from another one. Goals: a query of 10,000 parameters under 50 ms, \
            64 MiB, 20 ms.
            """)

    @Option(help: "How many parameters a query has.")
    var parameters = 10_000

    @Option(help: "How long the uploaded file is, in MiB; it is sparse.")
    var mebibytes = 4096

    @Option(help: "How many JSON bodies of 50 MB are parsed at once.")
    var bodies = 10

    @Option(help: "How often queries are encoded, and how many seconds small requests are measured alone.")
    var rounds = 5

    func run() throws {
        try measureQueries()
        try measureUpload()
        try measureDelay()
    }

    private func measureQueries() throws {
        let values: Parameters = Dictionary(
            uniqueKeysWithValues: (0..<parameters).map { ("parameter-\($0)", "value \($0) & more") })
        let encoder = QueryEncoder()
        let times = try (0..<max(rounds, 1)).map { _ in
            try Self.milliseconds { _ = try encoder.encode(values) }
        }
        Self.show("query of \(parameters) parameters", times.sorted(), "ms")
    }

    private func measureUpload() throws {
        try TemporaryFolder.whileThere { folder in
            let file = folder.appendingPathComponent("large")
            guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
                throw BenchmarkError("\(file.path) cannot be made")
            }
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: UInt64(mebibytes) << 20)
            try handle.close()
            try upload(file)
        }
    }

    private func upload(_ file: URL) throws {
        let server = try DiscardServer()
        guard let url = URL(string: "http://127.0.0.1:\(server.port)/") else { throw BenchmarkError("no URL") }
        let done = Completion()
        server.acceptOne { done.setByteCount($0) }
        var expected: Int64 = 0
        let request = try HTTPRequestSerializer().multipartRequest(url: url, parameters: ["name": "value"]) { form in
            try form.append(fileAt: file, name: "file")
            expected = form.byteCount
        }
        let operation = HTTPRequestOperation(request: request)
        let seconds =
            try Self.milliseconds {
                operation.setCompletionBlock { _, _ in
                    done.end(failure: nil)
                } failure: {
                    done.end(failure: $1.message)
                }
                operation.start()
                try done.wait()
            } / 1000
        guard done.byteCount == expected else {
            throw BenchmarkError("\(done.byteCount) of \(expected) bytes arrived")
        }
        let memory = Double(try ProcessFigures.peakResidentByteCount()) / 1_048_576
        print(
            "multipart upload of \(mebibytes) MiB: \(Self.text(memory)) MiB resident at most, "
                + "\(Self.text(Double(expected) / 1e6 / seconds)) MB/s")
    }
}

// MARK: - Small requests during large bodies

extension SerializationCommand {
    private func measureDelay() throws {
        try Stage.withServer { folder, server in
            try Self.document().write(to: folder.appendingPathComponent("large.json"))
            try Stage.withServer { _, other in
                let manager = Self.manager()
                let places = [
                    SmallRequests("the same server", try server.url("tiny")),
                    SmallRequests("another server", try other.url("tiny")),
                ]
                for place in places { try Self.fetch(manager, place.url) }
                let end = ContinuousClock.now + .seconds(rounds)
                while ContinuousClock.now < end { try Self.fetchFromEach(places, manager) { $0.alone.append($1) } }
                let done = Completion()
                let operations = try startBodies(from: server, manager, done)
                while !done.isOver { try Self.fetchFromEach(places, manager) { $0.beside.append($1) } }
                for operation in operations {
                    if let error = operation.error { throw BenchmarkError("a large body failed: \(error.message)") }
                }
                for place in places { report(place) }
            }
        }
    }

    private func startBodies(
        from server: NginxServer, _ manager: RequestOperationManager, _ done: Completion
    ) throws -> [HTTPRequestOperation] {
        let operations = try (0..<bodies).map { _ in
            var serializer = JSONResponseSerializer()
            serializer.validation.acceptableContentTypes = nil
            let request = URLRequest(url: try server.url("large.json"))
            return manager.operation(with: request, responseSerializer: serializer)
        }
        manager.enqueueBatch(of: operations, completion: { _ in done.end(failure: nil) })
        return operations
    }

    /// Sends one small request after another, each to another server.
    private static func fetchFromEach(
        _ places: [SmallRequests], _ manager: RequestOperationManager, _ note: (SmallRequests, Double) -> Void
    ) throws {
        for place in places { note(place, try milliseconds { try fetch(manager, place.url) }) }
    }

    private func report(_ place: SmallRequests) {
        let (alone, beside) = (place.alone.sorted(), place.beside.sorted())
        Self.show("small request to \(place.name), alone", alone, "ms")
        Self.show("small request to \(place.name), beside \(bodies) JSON bodies of 50 MB", beside, "ms")
        let delay = (beside.last ?? 0) - (alone.isEmpty ? 0 : alone[alone.count / 2])
        print("largest delay: \(Self.text(delay)) ms")
    }

    private static func manager() -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCountPerOrigin = 64
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    private static func fetch(_ manager: RequestOperationManager, _ url: URL) throws {
        let done = Completion()
        let operation = manager.operation(with: URLRequest(url: url))
        operation.setCompletionBlock { _, _ in
            done.end(failure: nil)
        } failure: {
            done.end(failure: $1.message)
        }
        manager.operationQueue.addOperation(operation)
        try done.wait()
    }

    /// Returns 50 MB of objects with texts, numbers and truth values.
    private static func document() -> Data {
        var data = Data("[".utf8)
        var number = 0
        while data.count < 50_000_000 {
            if number > 0 { data += ",".utf8 }
            data +=
                #"{"id":\#(number),"name":"item \#(number)","price":\#(number).25,"tags":["a","b"],"sold":true}"#.utf8
            number += 1
        }
        return data + "]".utf8
    }
}

/// The times of small requests to one server, in milliseconds.
private final class SmallRequests {
    let name: String
    let url: URL
    var alone: [Double] = []
    var beside: [Double] = []

    init(_ name: String, _ url: URL) {
        self.name = name
        self.url = url
    }
}

// MARK: - Figures

extension SerializationCommand {
    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }

    /// Prints the median, the 99th percentile and the maximum of sorted figures.
    private static func show(_ title: String, _ figures: [Double], _ unit: String) {
        guard let last = figures.last else { return print("\(title): none") }
        let (median, high) = (figures[figures.count / 2], figures[figures.count * 99 / 100])
        print(
            "\(title): median \(text(median)) \(unit), 99 of 100 under \(text(high)) \(unit), "
                + "largest \(text(last)) \(unit), \(figures.count) measured")
    }
}
