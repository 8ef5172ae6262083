// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetJournal
internal import Foundation

/// The lines that a worker has in its hands, and what is to be done with each next. A value: it knows neither the store
/// nor the network.
///
/// A line waits for a slot; then its mark is made, when it needs one; then it runs; then its outcome waits to be
/// recorded.
struct WorkerHand {
    /// The name of a line in the hands of one worker.
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
    /// Lines that are to be marked.
    private var marks: [Serial] = []
    /// Lines whose outcome is to be recorded, in the order of their ends.
    private var outbox: [Serial] = []
    /// The lines of each batch that have not ended.
    private var openCounts: [Int: Int] = [:]
    /// The lines that run.
    private(set) var runningCount = 0
    /// Those of them that wait for their next attempt, and when that is over: others have their slots meanwhile.
    private var parked: [Serial: Instant] = [:]
    /// More lines are not parked, so that a worker does not claim without end from servers that fail.
    private let parkedLimit: Int

    init(concurrency: Int, concurrencyPerOrigin: Int) {
        parkedLimit = 3 * concurrency
        window = SendWindow(limit: concurrency, limitPerLane: concurrencyPerOrigin)
    }

    /// The number of lines that have not ended.
    var openCount: Int { openCounts.values.reduce(0, +) }
    /// The number of those that need slots: what is held or waits for another attempt must not keep the worker from
    /// other lines.
    var busyCount: Int { max(0, openCount - window.heldCount - parked.count) }
    /// The number of outcomes that are to be recorded.
    var endedCount: Int { outbox.count }
    /// The claims of which the worker has lines.
    var claimNumbers: Set<Int> { Set(claims.keys) }
    /// The batches of which the worker has lines.
    var batches: Set<Int> { Set(openCounts.keys) }
    var isEmpty: Bool { entries.isEmpty }

    /// The lines of a batch that have not ended.
    func openCount(of batch: Int) -> Int { openCounts[batch] ?? 0 }

    // MARK: Lines come

    /// Takes lines that were claimed.
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

    /// How many lines more of a lane the worker takes: so many that a slot that becomes free finds the next one.
    func appetite(forLane lane: String) -> Int { max(0, 2 * window.limit(of: lane) - window.count(of: lane)) }

    /// The lanes with lines in the worker's hands.
    var lanes: Set<String> { window.lanesInUse }

    /// Sets how many lines of some lanes may run at once.
    mutating func setLimits(_ limits: [String: Int]) { window.setLimits(limits) }

    /// Sets the lanes to which nothing is sent for a time.
    mutating func setHeld(_ lanes: Set<String>) { window.setHeld(lanes) }

    /// How many lines of a lane may run at once.
    func limit(ofLane lane: String) -> Int { window.limit(of: lane) }

    /// Whether no more lines of some lanes are on their way than the lanes' limits allow. Lines that wait for another
    /// attempt are not: the governor lets them go on within the limits.
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

    // MARK: Lines go out

    /// A line to be sent now.
    struct Start: Equatable {
        let serial: Serial
        let line: ClaimedLine
    }

    /// Gives the lines that may be sent now. Those that need a mark are among `takeMarks()` then.
    mutating func takeStarts() -> [Start] {
        var starts: [Start] = []
        while let ticket = window.next() {
            guard let entry = entries[ticket.position], case .waiting = entry.phase else {
                window.release(ticket.lane)  // it was lost, or given back
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

    /// Takes the lines whose marks are to be made durable; then `marked` is to be called, or `putOff` when that failed.
    mutating func takeMarks() -> [Start] {
        defer { marks = [] }
        return marks.compactMap { serial in
            guard case .marking? = entries[serial]?.phase, let line = entries[serial]?.line else { return nil }
            return Start(serial: serial, line: line)
        }
    }

    /// The marks were not made: they are to be made again.
    mutating func putOff(_ lines: [Start]) { marks = lines.map(\.serial) + marks }

    /// The marks are durable: gives the lines that may be sent.
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

    // MARK: Lines wait for another attempt

    /// A line that runs waits for its next attempt until an instant: its slot is free until then, unless too many lines
    /// wait in this way.
    mutating func park(_ serial: Serial, until end: Instant) {
        guard let entry = entries[serial], case .running = entry.phase else { return }
        guard parked[serial] == nil else {
            parked[serial] = end  // it has waited before, and nobody has looked since
            return
        }
        guard parked.count < parkedLimit else { return }
        parked[serial] = end
        window.release(entry.line.lane)
    }

    /// Lines whose wait is over have their slots again. Until as many others have ended, no line starts.
    mutating func unpark(now: Instant) {
        for (serial, end) in parked where end <= now {
            parked[serial] = nil
            if let lane = entries[serial]?.line.lane { window.retake(lane) }
        }
    }

    /// When the first wait is over; nil when no line waits.
    var nextUnpark: Instant? { parked.values.min() }

    // MARK: Lines end

    /// A line has its outcome. Of a line that was lost meanwhile nothing is kept.
    mutating func ended(_ serial: Serial, _ ending: LineEnding) {
        guard leaveSlot(serial) else { return }
        entries[serial]?.phase = .ended(ending)
        outbox.append(serial)
    }

    /// A line was not sent, and goes back to the store.
    ///
    /// - Returns: the line; nil when it was lost meanwhile.
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

    /// The next outcomes to be recorded.
    func nextEndings(limit: Int) -> [LineEnding] {
        outbox.prefix(limit).compactMap { serial in
            if case .ended(let ending)? = entries[serial]?.phase { ending } else { nil }
        }
    }

    /// The first outcomes are recorded.
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

    // MARK: Lines are taken away

    /// The store has given lines to others: nothing of them is recorded.
    ///
    /// - Returns: the lines that run: they are to be cancelled.
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

    /// Takes out lines that were not sent.
    ///
    /// - Parameter isIncluded: which lines; called once for each.
    mutating func takeUnsent(where isIncluded: (ClaimedLine) -> Bool) -> [ClaimedLine] {
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

    /// The lines of a batch that run.
    func running(of batch: Int) -> [Serial] {
        entries.filter { entry in
            guard entry.value.line.batch == batch, case .running = entry.value.phase else { return false }
            return true
        }.map(\.key).sorted()
    }
}
