// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// A line on its way to the runner.
package struct JournaledLine: Sendable {
    let node: RequestLineGraph.Node
    let position: Int
    /// Whether "may have been sent" has to be durable before the line is sent.
    let needsMark: Bool
    /// Whether an earlier run may have sent the line.
    let wasSentBefore: Bool
    let fingerprint: String?
    /// Whether this run has marked the line.
    var isMarked = false

    var id: String { node.line.id }

    /// Where it waits for its mark; nil when it need not wait: a script may pause it for ever.
    var ticket: SendWindow.Ticket? {
        let line = node.line.line
        guard line.script.isEmpty else { return nil }
        return SendWindow.Ticket(position: position, lane: Self.lane(of: line.url), priority: line.priority)
    }

    /// Scheme, host and port as they are written. Of a relative URL there are none: the batch's base URL has them.
    package static func lane(of url: String) -> String {
        let scheme = url.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let rest = url[scheme.endIndex...]
        let mark = scheme.isEmpty ? "//" : "://"
        guard rest.hasPrefix(mark) else { return "" }
        let end = rest.dropFirst(mark.count).firstIndex { "/?#".contains($0) } ?? url.endIndex
        return url[..<end].lowercased()
    }
}

/// Keeps lines from the runner that may not be given to it yet: unsafe ones until what they need has succeeded and
/// their mark is durable, and lines that need such a line until the runner has that one. A value: it runs nothing, its
/// effects say what is to be done, in order.
///
/// An unsafe line whose dependency did not succeed goes to the runner without a mark: it is skipped there.
struct HeldLines {
    enum Effect {
        /// The line is to be given to the runner; then `passed` is to be called.
        case start(JournaledLine)
        /// The mark is to be made durable; then `marked` is to be called.
        case mark(JournaledLine)
    }

    private enum Phase {
        /// It waits for so many other lines.
        case waiting(Int)
        /// It waits for its turn.
        case queued
        /// Its mark is being written.
        case marking
        /// It is being given to the runner.
        case passing
    }

    private struct Entry {
        var line: JournaledLine
        var phase: Phase
    }

    private var window: SendWindow
    /// The ids that other lines need; nil when it may be any.
    private let neededIDs: Set<String>?
    /// Whether a needed line that has ended succeeded.
    private var successes: [String: Bool] = [:]
    /// Lines that the runner does not have yet, by id. Lines that need not wait are never among them.
    private var entries: [String: Entry] = [:]
    private var ids: [Int: String] = [:]
    private var waiters: [String: [String]] = [:]
    private enum Flow { case open, closedToMarks, stopped }
    private var flow = Flow.open

    init(window: SendWindow, neededIDs: Set<String>?) { (self.window, self.neededIDs) = (window, neededIDs) }

    /// The number of lines that the runner does not have yet.
    var count: Int { entries.count }

    /// Adds a line; what it needs was added before.
    mutating func add(_ line: JournaledLine) -> [Effect] {
        guard flow != .stopped else { return [.start(line)] }
        let blockers = line.node.dependencies.filter {
            line.needsMark ? successes[$0] == nil : entries[$0] != nil
        }
        if blockers.isEmpty, !line.needsMark { return [.start(line)] }
        entries[line.id] = Entry(line: line, phase: .waiting(blockers.count))
        for blocker in blockers { waiters[blocker, default: []].append(line.id) }
        return blockers.isEmpty ? goOn([line.id]) : []
    }

    /// The runner has a line.
    mutating func passed(_ id: String) -> [Effect] {
        guard entries.removeValue(forKey: id) != nil else { return [] }
        let (marked, others) = partitioned(waiters.removeValue(forKey: id) ?? [])
        if !marked.isEmpty { waiters[id] = marked }  // they wait for its end
        return goOn(others.filter { countDown($0) })
    }

    /// The mark of a line is durable, or cannot be written: the line goes to the runner, also after `stop()`, so that
    /// its end can take the mark back. Without a mark it must not be sent: the runner has been cancelled before.
    mutating func marked(_ id: String, isDurable: Bool = true) -> [Effect] {
        guard case .marking? = entries[id]?.phase else { return [] }
        entries[id]?.phase = .passing
        entries[id]?.line.isMarked = isDurable
        return entries[id].map { [.start($0.line)] } ?? []
    }

    /// A line has its outcome, in this run or before it.
    mutating func ended(_ id: String, isSuccess: Bool, wasMarked ticket: SendWindow.Ticket? = nil) -> [Effect] {
        if let ticket { window.release(ticket.lane) }
        if neededIDs?.contains(id) ?? true { successes[id] = isSuccess }
        guard let waiting = waiters.removeValue(forKey: id) else { return nextMarks() }
        let (marked, others) = partitioned(waiting)
        if !others.isEmpty { waiters[id] = others }  // the runner is just being given the line
        return goOn(marked.filter { countDown($0) }) + nextMarks()
    }

    /// Marks nothing more.
    mutating func close() { if flow == .open { flow = .closedToMarks } }

    /// Gives all lines to the runner, in an order in which dependencies come first, and those that are added later too:
    /// the runner was cancelled, and sends none of them. A line whose mark is being written follows when it is.
    mutating func stop() -> [Effect] {
        flow = .stopped
        let held = entries.values.filter { entry in
            switch entry.phase {
            case .waiting, .queued: true
            case .marking, .passing: false
            }
        }
        for entry in held { entries[entry.line.id] = nil }
        waiters = [:]
        return held.map(\.line).sorted { $0.position < $1.position }.map { .start($0) }
    }
}

extension HeldLines {
    /// Lines that wait for an end, and lines that wait until the runner has what they need.
    private func partitioned(_ ids: [String]) -> (marked: [String], others: [String]) {
        let known = ids.filter { entries[$0] != nil }
        let needsMark = { (id: String) in entries[id]?.line.needsMark == true }
        return (known.filter(needsMark), known.filter { !needsMark($0) })
    }

    /// Notes that a line waits for one line less; whether it waits for none.
    private mutating func countDown(_ id: String) -> Bool {
        guard case .waiting(let count)? = entries[id]?.phase else { return false }
        entries[id]?.phase = .waiting(count - 1)
        return count == 1
    }

    /// Lets lines go on that wait for no other line.
    private mutating func goOn(_ lines: [String]) -> [Effect] {
        var effects: [Effect] = []
        for id in lines {
            guard let line = entries[id]?.line else { continue }
            if line.needsMark, line.node.dependencies.allSatisfy({ successes[$0] == true }) {
                guard let ticket = line.ticket else {
                    effects += mark(id)
                    continue
                }
                entries[id]?.phase = .queued
                ids[line.position] = id
                window.enqueue(ticket)
            } else {
                entries[id]?.phase = .passing
                effects.append(.start(line))
            }
        }
        return effects + nextMarks()
    }

    private mutating func nextMarks() -> [Effect] {
        var effects: [Effect] = []
        while flow == .open, let ticket = window.next() {
            if let id = ids.removeValue(forKey: ticket.position) { effects += mark(id) }
        }
        return effects
    }

    private mutating func mark(_ id: String) -> [Effect] {
        guard flow == .open, let line = entries[id]?.line else { return [] }
        entries[id]?.phase = .marking
        return [.mark(line)]
    }
}
