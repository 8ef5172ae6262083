// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetJournal
internal import Foundation

/// The lines that a worker has, and the next step of each line. A value type that uses neither the store nor the
/// network.
///
/// A line waits for a slot; then it is marked, if it needs a mark; then it runs; then its outcome waits to be
/// recorded.
struct WorkerHand {
    /// Identifies a line within one worker.
    typealias Serial = Int
    typealias Instant = ContinuousClock.Instant

    private enum Phase {
        case waiting, marking, running
        case ended(LineEnding)
    }

    private struct Entry {
        let line: ClaimedLine
        var phase = Phase.waiting
    }

    private var window: SendWindow
    private var entries: [Serial: Entry] = [:]
    private var nextSerial = 0
    private var claims: [Int: Set<Serial>] = [:]
    /// Lines to be marked.
    private var marks: [Serial] = []
    /// Lines whose outcomes are to be recorded, in the order in which they ended.
    private var outbox: [Serial] = []
    /// The number of lines of each batch that have not ended.
    private var openCounts: [Int: Int] = [:]
    /// The number of running lines.
    private(set) var runningCount = 0
    /// The running lines that wait for their next attempt, and when each of them continues. Other lines use their
    /// slots until then.
    private var parked: [Serial: Instant] = [:]
    /// The maximum number of parked lines, so that a worker does not claim lines without limit for servers that fail.
    private let parkedLimit: Int

    init(concurrency: Int, concurrencyPerOrigin: Int) {
        parkedLimit = 3 * concurrency
        window = SendWindow(limit: concurrency, limitPerLane: concurrencyPerOrigin)
    }

    /// The number of lines that have not ended.
    var openCount: Int { openCounts.values.reduce(0, +) }
    /// The number of lines that have not ended and need slots. Lines of paused origins, and lines that wait for
    /// another attempt, must not keep the worker from claiming other lines.
    var busyCount: Int { max(0, openCount - window.pausedCount - parked.count) }
    /// The number of outcomes to be recorded.
    var endedCount: Int { outbox.count }
    /// The claims to which the worker's lines belong.
    var claimNumbers: Set<Int> { Set(claims.keys) }
    /// The batches with lines that have not ended.
    var batches: Set<Int> { Set(openCounts.keys) }
    var isEmpty: Bool { entries.isEmpty }

    /// Returns the number of lines of a batch that have not ended.
    func openCount(of batch: Int) -> Int { openCounts[batch] ?? 0 }

    // MARK: Adding lines

    /// Adds claimed lines.
    mutating func add(_ lines: [ClaimedLine]) {
        for line in lines {
            let serial = nextSerial
            nextSerial += 1
            entries[serial] = Entry(line: line)
            claims[line.claim, default: []].insert(serial)
            openCounts[line.batch, default: 0] += 1
            window.enqueue(.init(position: serial, lane: line.lane, priority: line.priority))
        }
    }

    /// Returns how many more lines of a lane the worker can take: enough to use a slot as soon as it becomes free.
    func capacity(forLane lane: String) -> Int { max(0, 2 * window.limit(of: lane) - window.count(of: lane)) }

    /// The lanes of the worker's lines.
    var lanes: Set<String> { window.lanesInUse }

    /// Sets how many lines of some lanes may run at once.
    mutating func setLimits(_ limits: [String: Int]) { window.setLimits(limits) }

    /// Sets the lanes to which nothing is sent for a time.
    mutating func setPausedLanes(_ lanes: Set<String>) { window.setPausedLanes(lanes) }

    /// Returns how many lines of a lane may run at once.
    func limit(ofLane lane: String) -> Int { window.limit(of: lane) }

    /// Whether the lines in flight stay within the limits of their lanes. Lines that wait for another attempt do not
    /// count: the governor lets them continue within the limits.
    func keeps(to limits: [String: Int]) -> Bool {
        var counts: [String: Int] = [:]
        for (serial, entry) in entries where limits[entry.line.lane] != nil && parked[serial] == nil {
            switch entry.phase {
            case .waiting, .ended: continue
            case .marking, .running: counts[entry.line.lane, default: 0] += 1
            }
        }
        return counts.allSatisfy { $0.value <= limits[$0.key] ?? 0 }
    }

    // MARK: Sending lines

    /// A line to be sent now.
    struct Start: Equatable {
        let serial: Serial
        let line: ClaimedLine
    }

    /// Starts the lines that may be sent now, and returns them. `removeMarks()` returns the lines that need a mark
    /// first.
    mutating func beginSending() -> [Start] {
        var starts: [Start] = []
        while let ticket = window.next() {
            guard let entry = entries[ticket.position], case .waiting = entry.phase else {
                window.release(ticket.lane)  // the line was lost or returned
                continue
            }
            if entry.line.needsMark {
                entries[ticket.position]?.phase = .marking
                marks.append(ticket.position)
            } else {
                starts.append(run(ticket.position, entry.line))
            }
        }
        return starts
    }

    /// Returns the lines whose marks are to be made durable. Call `marked` afterwards, or `putOff` if that failed.
    mutating func removeMarks() -> [Start] {
        defer { marks = [] }
        return marks.compactMap { serial in
            guard case .marking? = entries[serial]?.phase, let line = entries[serial]?.line else { return nil }
            return Start(serial: serial, line: line)
        }
    }

    /// Queues lines again whose marks could not be made durable.
    mutating func putOff(_ lines: [Start]) { marks = lines.map(\.serial) + marks }

    /// Returns the lines that may be sent because their marks are durable.
    mutating func marked(_ lines: [Start]) -> [Start] {
        lines.compactMap { start in
            guard case .marking? = entries[start.serial]?.phase else { return nil }
            return run(start.serial, start.line)
        }
    }

    private mutating func run(_ serial: Serial, _ line: ClaimedLine) -> Start {
        entries[serial]?.phase = .running
        runningCount += 1
        return Start(serial: serial, line: line)
    }

    // MARK: Waiting for another attempt

    /// Frees the slot of a running line that waits for its next attempt until an instant, unless too many lines are
    /// parked.
    mutating func park(_ serial: Serial, until end: Instant) {
        guard let entry = entries[serial], case .running = entry.phase else { return }
        guard parked[serial] == nil else {
            parked[serial] = end  // it is still parked from an earlier attempt
            return
        }
        guard parked.count < parkedLimit else { return }
        parked[serial] = end
        window.release(entry.line.lane)
    }

    /// Gives lines that continue their slots again, even if no slot is free. Then no line starts until enough other
    /// lines have ended.
    mutating func unpark(now: Instant) {
        for (serial, end) in parked where end <= now {
            parked[serial] = nil
            if let lane = entries[serial]?.line.lane { window.retake(lane) }
        }
    }

    /// When the first parked line continues; nil if no line is parked.
    var nextUnpark: Instant? { parked.values.min() }

    // MARK: Ending lines

    /// Records the outcome of a line. If the line was lost in the meantime, the outcome is dropped.
    mutating func ended(_ serial: Serial, _ ending: LineEnding) {
        guard leaveSlot(serial) else { return }
        entries[serial]?.phase = .ended(ending)
        outbox.append(serial)
    }

    /// Removes a running line that goes back to the store.
    ///
    /// - Returns: the line; nil if it was lost in the meantime.
    mutating func returned(_ serial: Serial) -> ClaimedLine? {
        guard leaveSlot(serial) else { return nil }
        return forget(serial)
    }

    private mutating func leaveSlot(_ serial: Serial) -> Bool {
        guard let entry = entries[serial], case .running = entry.phase else { return false }
        if parked.removeValue(forKey: serial) == nil { window.release(entry.line.lane) }
        runningCount -= 1
        countDown(entry.line.batch)
        return true
    }

    private mutating func countDown(_ batch: Int) {
        guard let count = openCounts[batch] else { return }
        openCounts[batch] = count > 1 ? count - 1 : nil
    }

    /// Returns the next outcomes to be recorded.
    func nextEndings(limit: Int) -> [LineEnding] {
        outbox.prefix(limit).compactMap { serial in
            if case .ended(let ending)? = entries[serial]?.phase { ending } else { nil }
        }
    }

    /// Removes the first outcomes, which were recorded.
    mutating func recorded(_ count: Int) {
        for serial in outbox.prefix(count) { _ = forget(serial) }
        outbox.removeFirst(min(count, outbox.count))
    }

    private mutating func forget(_ serial: Serial) -> ClaimedLine? {
        guard let entry = entries.removeValue(forKey: serial) else { return nil }
        claims[entry.line.claim]?.remove(serial)
        if claims[entry.line.claim]?.isEmpty == true { claims[entry.line.claim] = nil }
        return entry.line
    }

    // MARK: Removing lines

    /// Removes the lines of claims that the store has given to other workers, and their outcomes.
    ///
    /// - Returns: the running lines, which are to be cancelled.
    mutating func lose(_ lost: Set<Int>) -> [Serial] {
        var running: [Serial] = []
        for serial in lost.flatMap({ claims[$0] ?? [] }).sorted() {
            guard let entry = entries[serial] else { continue }
            switch entry.phase {
            case .waiting: countDown(entry.line.batch)
            case .marking:
                window.release(entry.line.lane)
                countDown(entry.line.batch)
            case .running:
                _ = leaveSlot(serial)
                running.append(serial)
            case .ended: break
            }
            _ = forget(serial)
        }
        outbox.removeAll { entries[$0] == nil }
        return running
    }

    /// Removes unsent lines, and returns them.
    ///
    /// - Parameter isIncluded: whether a line is removed; called once for each line.
    mutating func removeUnsent(where isIncluded: (ClaimedLine) -> Bool) -> [ClaimedLine] {
        var lines: [ClaimedLine] = []
        for (serial, entry) in entries.sorted(by: { $0.key < $1.key }) where isIncluded(entry.line) {
            switch entry.phase {
            case .waiting: break
            case .marking: window.release(entry.line.lane)
            case .running, .ended: continue
            }
            countDown(entry.line.batch)
            if let line = forget(serial) { lines.append(line) }
        }
        return lines
    }

    /// Returns the running lines of a batch.
    func running(of batch: Int) -> [Serial] {
        entries.filter { entry in
            guard entry.value.line.batch == batch, case .running = entry.value.phase else { return false }
            return true
        }.map(\.key).sorted()
    }
}
