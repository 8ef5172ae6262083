// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import BluebonnetLocks
import Foundation

/// Receives the events of a run, and writes what the options ask for: files, lines on standard error, statistics.
final class RunObserver: EventMonitor {
    fileprivate struct State {
        var exporters: [(exporter: any EventExporter, file: EventFile)] = []
        var verbose: VerboseText?
        var statistics: RunStatistics?
        var summaryFile: EventFile?
        /// The lines of the operations that have not finished.
        var lines: [Int: ObservedLine] = [:]
        var droppedCount = 0
        var isOver = false
        var write: @Sendable (String) -> Void = StandardError.write
    }

    /// The lines whose operations are about to start, by their names.
    private struct Starts {
        var lines: [ByteString: StartedLine] = [:]
        var isNeeded: @Sendable (String) -> Bool = { _ in false }
    }

    /// Whether the summary of the times is shown at the end.
    let showsSummary: Bool
    private let state: Mutex<State>
    private let starts = Mutex(Starts())

    /// Opens the files, and leaves their contents; nil if the options ask for nothing.
    ///
    /// - Parameter others: files that must not be overwritten, with the words that name them in an error.
    init?(
        _ options: ObservationOptions, summary: SummaryOptions? = nil, others: [(FileStatus, String)] = []
    ) throws(CommandError) {
        guard options.isUsed || summary?.isUsed ?? false else { return nil }
        var (state, others) = (State(), others)
        func open(_ option: String, _ path: String) throws(CommandError) -> EventFile {
            let file = try EventFile(option: option, path: path, others: others)
            if let status = file.status { others.append((status, "the file of \(option)")) }
            return file
        }
        if let path = options.har { state.exporters.append((HARExporter(), try open("--har", path))) }
        if let path = options.trace { state.exporters.append((TraceExporter(), try open("--trace", path))) }
        if let path = options.log { state.exporters.append((LogExporter(), try open("--log", path))) }
        if let path = summary?.json { state.summaryFile = try open("--summary-json", path) }
        if options.verbose { state.verbose = VerboseText() }
        if summary?.isUsed ?? false { state.statistics = RunStatistics() }
        showsSummary = summary?.summary ?? false
        self.state = Mutex(state)
    }

    /// Empties the files and begins to write them.
    ///
    /// - Parameters:
    ///   - isNeeded: returns whether other lines depend on the line with an id.
    ///   - write: writes to standard error, which may show a progress display.
    func begin(
        isNeeded: @escaping @Sendable (String) -> Bool = { _ in false },
        write: @escaping @Sendable (String) -> Void = StandardError.write
    ) {
        starts.withLock { $0.isNeeded = isNeeded }
        state.withLock { state in
            state.write = write
            for index in state.exporters.indices {
                let exporter = state.exporters[index].exporter
                state.exporters[index].file.begin(exporter.head, tail: exporter.tail)
            }
            state.summaryFile?.begin("")
        }
    }

    /// Makes the lines of a run report to the observer.
    func observe(_ settings: inout RequestLineRunner.Settings) {
        settings.transferOptions.eventMonitors.append(self)
        settings.onLineStart = { [self] in lineStarts($0) }
    }

    /// Makes the lines of a worker report to the observer.
    func observe(_ configuration: inout FleetWorker.Configuration) {
        configuration.transferOptions.eventMonitors.append(self)
        configuration.onLineStart = { [self] in lineStarts($0) }
    }

    /// Records a line whose operation is about to start.
    func lineStarts(_ line: StartedLine) { starts.withLock { $0.lines[ByteString(line.name)] = line } }

    func receive(_ events: [RequestEvent]) {
        let lines = queuedLines(events)
        let (text, write) = state.withLock { ($0.receive(events, queued: lines), $0.write) }
        if !text.isEmpty { write(text) }
    }

    /// Returns the lines whose operations were queued, by operation number.
    private func queuedLines(_ events: [RequestEvent]) -> [Int: ObservedLine] {
        var started: [(Int, StartedLine)] = []
        let isNeeded = starts.withLock { starts in
            for event in events {
                guard case .queued = event.kind, let number = event.operation, let name = event.name,
                    let line = starts.lines.removeValue(forKey: ByteString(name))
                else { continue }
                started.append((number, line))
            }
            return starts.isNeeded
        }
        let lines = started.map { number, line in
            let isNeeded = isNeeded(line.name)
            return (
                number,
                ObservedLine(
                    id: line.name, dependencies: line.dependencies, isNeeded: isNeeded, hidden: line.hidden)
            )
        }
        return Dictionary(lines) { first, _ in first }
    }
}

extension RunObserver.State {
    /// Writes the events to the files. Returns the text for standard error.
    fileprivate mutating func receive(_ events: [RequestEvent], queued: [Int: ObservedLine]) -> String {
        guard !isOver else { return "" }
        var texts = exporters.map { _ in "" }
        var shown = ""
        lines.merge(queued) { _, new in new }
        for event in events {
            let line = event.operation.flatMap { lines[$0] }
            for index in exporters.indices { texts[index] += exporters[index].exporter.receive(event, of: line) }
            shown += verbose?.receive(event, of: line) ?? ""
            statistics?.receive(event, of: line)
            switch event.kind {
            case .finished: if let number = event.operation { lines[number] = nil }
            case .eventsDropped(let count): droppedCount += count
            default: break
            }
        }
        for (index, text) in texts.enumerated() where !text.isEmpty { exporters[index].file.append(text) }
        return shown
    }
}

// MARK: - The end

extension RunObserver {
    /// Waits for all events, and completes the files of events.
    ///
    /// - Returns: the errors of files that could not be written, and a message if events were lost.
    func finish() async -> [CommandError] {
        await EventMonitors.flush()
        return state.withLock { state in
            state.isOver = true
            var errors: [CommandError] = []
            for index in state.exporters.indices {
                do throws(CommandError) { try state.exporters[index].file.finish() } catch { errors.append(error) }
            }
            if state.droppedCount > 0, !state.exporters.isEmpty {
                let files = state.exporters.map(\.file.path).joined(separator: " and ")
                errors.append(
                    .unusable("\(Quantity.count(state.droppedCount, "event")) lost: writing \(files) was too slow"))
            }
            return errors
        }
    }

    /// Returns the summary of the times; nil if no option asks for it. Call `finish()` first.
    func summary(elapsed: Double) -> TimeSummary? {
        state.withLock { $0.statistics }.map { TimeSummary(statistics: $0, elapsed: elapsed) }
    }

    /// Writes the file of `--summary-json`, if the option is given.
    func write(_ summary: TimeSummary, _ tally: RunTally) throws(CommandError) {
        let text = summary.json(tally)
        let error: CommandError? = state.withLock { state in
            do throws(CommandError) {
                state.summaryFile?.append(text)
                try state.summaryFile?.finish()
                return nil
            } catch {
                return error
            }
        }
        if let error { throw error }
    }
}
