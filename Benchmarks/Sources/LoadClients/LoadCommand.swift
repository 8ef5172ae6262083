// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import ArgumentParser
import Bluebonnet
package import Figures
import Foundation

/// Sends requests with one client and prints its measurement as a line of JSON. `LoadDriver` consists of this command,
/// and the benchmark runs it for each contender and round.
package struct LoadCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Sends requests with one client and prints one line of JSON: what that took.",
        discussion: """
            Some requests warm the client up first; they are not measured. The status and the length of every answer \
            are looked at as part of the work; answers other than 200 to 299, and those that have another length than \
            --expect, are errors. The exit status is 1 when there were any; the other figures mean little then, and \
            `libcurl` stops at the first.

            The CPU time is user and system time of all threads of this process; the peak memory is that of the whole \
            process. Latency is from the call that starts a request to its handler; it is missing for `bluebonnet`, \
            whose operations are all queued at once: `bluebonnet-loop` queues the next one in the last one's handler. \
            The megabytes are those of request bodies, and of answers where --expect says how long they are.

            Mixed traffic (--mix) goes to as many origins as are named, in an order without a pattern, each with \
            \(MixedPlan.pathCount) paths. Each request has a query, a traceparent, an Idempotency-Key and a bearer \
            token of its own; every tenth is a POST of a small JSON body of its own. By turns an answer is decoded to \
            a tree of JSON values, kept as bytes, and decoded to a type, each of which needs the benchmark's JSON as \
            the answer; `libcurl` decodes nothing. Each client may have the same number of connections to an origin: \
            --concurrency divided by the number of origins, rounded up, times two, but no more than --concurrency. \
            `urlsession` does no mixed traffic. The bodies of mixed traffic are not in the megabytes.
            """)

    @Option(help: "Which client: \(Contender.clients.map(\.rawValue).joined(separator: ", ")).")
    var client = Contender.bluebonnet

    @Option(help: ArgumentHelp("Where requests go, http or https.", valueName: "url"))
    var url: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Origins for mixed traffic, in place of --url.", valueName: "origin"))
    var mix: [String] = []

    @Option(help: "How many requests are measured.")
    var count: Int

    @Option(help: "How many may be in flight.")
    var concurrency = 64

    @Option(help: "The method.")
    var method = "GET"

    @Option(help: ArgumentHelp("The length of the body of each request; 0 sends none.", valueName: "count"))
    var bodyBytes = 0

    @Option(help: ArgumentHelp("A file to send as each request's body.", valueName: "path"))
    var bodyFile: String?

    @Option(help: "Where bodies go: memory or file.")
    var output = OutputKind.memory

    @Option(help: ArgumentHelp("A folder for the files, which are left there.", valueName: "path"))
    var outputFolder: String?

    @Flag(help: "Decode bodies as the benchmark's JSON; libcurl never does.")
    var decode = false

    @Flag(help: "Keep all answers of mixed traffic as bytes.")
    var keepBytes = false

    @Option(help: ArgumentHelp("How long each answer's body has to be.", valueName: "count"))
    var expect: Int64?

    @Option(help: ArgumentHelp("A PEM file of the authorities to trust.", valueName: "path"))
    var caFile: String?

    @Option(name: .customLong("warm-up"), help: ArgumentHelp("Requests before the measured ones.", valueName: "count"))
    var warmUpCount: Int?

    @Option(help: ArgumentHelp("Where GETs for warming up go, if not to --url.", valueName: "url"))
    var warmUpURL: String?

    @Option(
        parsing: .upToNextOption,
        help: "Parts of Bluebonnet's tuning that are off: \(TuningPart.names).")
    var without: [TuningPart] = []

    @Option(
        parsing: .upToNextOption,
        help: "Parts of the manager that are off by default, for bluebonnet and bluebonnet-loop: \(ManagerPart.names).")
    var with: [ManagerPart] = []

    @Flag(help: "Start all requests at once, also with clients that have no queue.")
    var atOnce = false

    @Flag(help: "Count allocations, which makes everything slower.")
    var countAllocations = false

    @Flag(help: "Count descriptors before and after, idle connections closed.")
    var countDescriptors = false

    package init() {}

    package func validate() throws {
        guard count > 0, concurrency > 0, bodyBytes >= 0, warmUpCount ?? 0 >= 0 else {
            throw ValidationError("--count and --concurrency have to be at least 1, the others at least 0.")
        }
        guard bodyBytes == 0 || bodyFile == nil else {
            throw ValidationError("--body-bytes and --body-file exclude each other.")
        }
        guard with.isEmpty || client == .bluebonnet || client == .bluebonnetLoop else {
            throw ValidationError("\(client.rawValue) has no parts that could be switched on.")
        }
        guard !client.isCommand else { throw ValidationError("\(client.rawValue) is not a client.") }
        if !mix.isEmpty { try validateMix() }
        guard !keepBytes || !mix.isEmpty else { throw ValidationError("--keep-bytes is for --mix.") }
        _ = try traffic()
    }

    private func validateMix() throws {
        guard url == nil, warmUpURL == nil, method == "GET", bodyBytes == 0, bodyFile == nil, output == .memory, !decode
        else {
            throw ValidationError("--mix decides on URLs, methods, bodies and decoding; bodies go to memory.")
        }
        guard client != .urlSession else { throw ValidationError("urlsession does no mixed traffic.") }
    }

    package func run() throws {
        for part in without { Tuning.current.remove(part.tuning) }
        var session = LoadSession(client: client, job: try job(), warmUp: try warmUp(), authorityFile: caFile)
        session.parts = ManagerParts(parts: with, origin: try url.map(Self.parse))
        session.countsAllocations = countAllocations
        session.countsDescriptors = countDescriptors
        let measurement = try output == .file ? inOutputFolder(session) : session.run()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(measurement), as: UTF8.self))
        if measurement.errorCount > 0 { throw ExitCode.failure }
    }
}

extension LoadCommand {
    /// The destination of bodies.
    enum OutputKind: String, ExpressibleByArgument { case memory, file }

    private static func parse(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https" else {
            throw ValidationError("\(text) is not an http or https URL.")
        }
        return url
    }

    /// Parses an origin, without its path, as `MixedPlan` expects it.
    private static func parseOrigin(_ text: String) throws -> String {
        let url = try parse(text)
        guard ["", "/"].contains(url.path), url.query == nil, url.fragment == nil, text.utf8.count <= 128 else {
            throw ValidationError("\(text) is not an origin: a scheme, a host and a port.")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private func traffic() throws -> Job.Traffic {
        if !mix.isEmpty {
            var plan = MixedPlan(origins: try mix.map(Self.parseOrigin))
            plan.decodesAnswers = !keepBytes
            return .mixed(plan)
        }
        guard let url else { throw ValidationError("Either --url or --mix has to be there.") }
        return .uniform(try Self.parse(url))
    }

    private func job() throws -> Job {
        var job = Job(try traffic(), requestCount: count, concurrency: concurrency)
        job.method = method
        job.decodes = decode
        job.expectedByteCount = expect
        job.startsAllAtOnce = atOnce
        if bodyBytes > 0 { job.body = .bytes(Data(repeating: UInt8(ascii: "x"), count: bodyBytes)) }
        if let bodyFile {
            let size = try FileManager.default.attributesOfItem(atPath: bodyFile)[.size] as? NSNumber
            job.body = .file(URL(fileURLWithPath: bodyFile), byteCount: size?.int64Value ?? 0)
        }
        return job
    }

    /// Returns the job of the warm-up, with enough requests to open every connection. It uses another URL if one is
    /// given.
    private func warmUp() throws -> Job? {
        // Large bodies are not transferred twice unless that is requested.
        let isLarge = warmUpURL == nil && (bodyFile != nil || output == .file)
        let warmUpCount = warmUpCount ?? (isLarge ? 0 : defaultWarmUpCount)
        guard warmUpCount > 0 else { return nil }
        guard let warmUpURL else {
            var warmUp = try job()
            if case .mixed(var plan) = warmUp.traffic {
                plan.firstNumber = count
                warmUp.traffic = .mixed(plan)
            }
            warmUp.requestCount = warmUpCount
            warmUp.startsAllAtOnce = false
            return warmUp
        }
        return Job(.uniform(try Self.parse(warmUpURL)), requestCount: warmUpCount, concurrency: concurrency)
    }

    /// Higher for mixed traffic, because connections to many origins are opened one by one, as requests reach the
    /// origins.
    private var defaultWarmUpCount: Int { mix.isEmpty ? concurrency + 100 : 3 * concurrency + 500 }

    /// Runs a session whose bodies are written to the given folder, or to a temporary folder that is removed
    /// afterwards.
    private func inOutputFolder(_ session: LoadSession) throws -> Measured {
        let manager = FileManager.default
        let own = manager.temporaryDirectory.appendingPathComponent("bluebonnet-load-\(UUID().uuidString)")
        let folder = outputFolder.map { URL(fileURLWithPath: $0) } ?? own
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { if outputFolder == nil { try? manager.removeItem(at: folder) } }
        var session = session
        session.job.outputFolder = folder
        return try session.run()
    }
}

extension Contender: ExpressibleByArgument {}

/// A part of Bluebonnet's `Tuning`, by name.
package enum TuningPart: String, CaseIterable, ExpressibleByArgument {
    case busyPolling = "busy-polling"
    case corkedWrites = "corked-writes"
    case reusedHandles = "reused-handles"

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    var tuning: Tuning {
        switch self {
        case .busyPolling: .busyPolling
        case .corkedWrites: .corkedWrites
        case .reusedHandles: .reusedHandles
        }
    }
}
