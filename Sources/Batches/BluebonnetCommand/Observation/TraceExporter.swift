// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Makes a file in the trace event format of Chrome, which Perfetto shows: a process for each origin with the
/// operations, hops, phases and waits as asynchronous slices, arrows between lines that depend on each other, and
/// counters.
///
/// Process 1 has the counters and the lines of the dependency graph, process 2 the operations that never had an origin.
struct TraceExporter: EventExporter {
    /// An operation that has not finished.
    private struct Open {
        let name: String
        let begin: UInt64
        /// The process of the operation's slice; nil before the first hop. Its waits are written later then.
        var process: Int?
        var waits: [Slice] = []
        var wait: (name: String, begin: UInt64)?
        var hop: (name: String, begin: UInt64, process: Int)?
    }

    /// A finished part of an operation.
    fileprivate struct Slice {
        let name: String
        let begin, end: UInt64
    }

    /// The maximum number of waits kept for an operation that has no origin yet.
    private static let waitLimit = 64
    fileprivate static let linesProcess = 1
    private static let noOrigin = 2

    private var open: [Int: Open] = [:]
    private var processes: [String: Int] = [:]
    private var counters = TraceCounters()
    private var lines = TraceLines()
    private var start: UInt64?
    fileprivate var writer = TraceWriter()

    var head: String { #"{"displayTimeUnit":"ms","traceEvents":["# }
    var tail: String { "\n]}\n" }

    mutating func receive(_ event: RequestEvent, of line: ObservedLine?) -> String {
        if start == nil {
            start = event.instant
            writer.processName("lines", Self.linesProcess)
            writer.processName("no origin", Self.noOrigin)
        }
        let now = event.instant - min(event.instant, start ?? 0)
        if let counts = counters.receive(event, at: now) { writer.counter(counts.values, at: counts.instant) }
        if let number = event.operation { receive(event, number, line, now) }
        return writer.removeText()
    }

    private mutating func receive(_ event: RequestEvent, _ number: Int, _ line: ObservedLine?, _ now: UInt64) {
        switch event.kind {
        case .queued(let reason):
            open[number] = Open(name: event.name ?? "operation \(number)", begin: now)
            open[number]?.wait = reason.map { ($0.kind.rawValue, now) }
            if let line { lines.begin(line, number, at: now) }
        case .admitted: endWait(number, now)
        case .waitBegan(let reason):
            endWait(number, now)
            open[number]?.wait = (reason.kind.rawValue, now)
        case .waitEnded: endWait(number, now)
        case .hopBegan(let head):
            endWait(number, now)
            let process = process(event.origin)
            beginSlice(number, process)
            let name = "\(head.method) \(EventRedaction(line).url(head.url))"
            open[number]?.hop = (name, now, process)
        case .hopEnded(let end): endHop(number, end, now)
        case .finished(let end):
            endWait(number, now)
            beginSlice(number, Self.noOrigin)
            if let operation = open.removeValue(forKey: number), let process = operation.process {
                let outcome = end.errorCode?.rawValue ?? end.statusCode.map(String.init) ?? "success"
                writer.end(operation.name, "operation", number, process, at: now, outcome: outcome)
            }
            for text in lines.end(number, at: now) { writer.append(text) }
        default: break
        }
    }

    /// Begins the slice of an operation in a process, with the waits so far, unless it has begun.
    private mutating func beginSlice(_ number: Int, _ process: Int) {
        guard let operation = open[number], operation.process == nil else { return }
        writer.begin(operation.name, "operation", number, process, at: operation.begin)
        for wait in operation.waits { writer.slice(wait, "wait", number, process) }
        open[number]?.process = process
        open[number]?.waits = []
    }

    private mutating func endWait(_ number: Int, _ now: UInt64) {
        guard let wait = open[number]?.wait.take() else { return }
        let slice = Slice(name: wait.name, begin: min(wait.begin, now), end: now)
        if let process = open[number]?.process {
            writer.slice(slice, "wait", number, process)
        } else if open[number]?.waits.count ?? 0 < Self.waitLimit {
            open[number]?.waits.append(slice)
        }
    }

    private mutating func endHop(_ number: Int, _ end: RequestEvent.HopEnd, _ now: UInt64) {
        guard let hop = open[number]?.hop.take() else { return }
        writer.begin(hop.name, "hop", number, hop.process, at: hop.begin)
        // The phases are the last part of the hop; before them, the hop waited for a connection.
        var (slices, cursor): ([Slice], UInt64) = ([], now)
        for (phase, duration) in end.phases.byPhase.reversed() {
            let begin = max(hop.begin, cursor - min(cursor, duration.nanoseconds))
            slices.insert(Slice(name: phase.rawValue, begin: begin, end: cursor), at: 0)
            cursor = begin
        }
        for slice in slices { writer.slice(slice, "hop", number, hop.process) }
        writer.end(hop.name, "hop", number, hop.process, at: now, outcome: end.statusCode.map(String.init) ?? "-")
    }

    private mutating func process(_ origin: String?) -> Int {
        guard let origin else { return Self.noOrigin }
        if let process = processes[origin] { return process }
        let process = processes.count + 3
        processes[origin] = process
        writer.processName(origin, process)
        return process
    }
}

extension TraceWriter {
    /// Writes the begin and the end of an asynchronous slice.
    fileprivate mutating func slice(_ slice: TraceExporter.Slice, _ category: String, _ id: Int, _ process: Int) {
        begin(slice.name, category, id, process, at: slice.begin)
        end(slice.name, category, id, process, at: slice.end)
    }
}
