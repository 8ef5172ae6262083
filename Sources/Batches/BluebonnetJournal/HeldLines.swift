// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// A line on its way to the runner. Its dependencies have ended.
struct JournaledLine: Sendable {
    let node: RequestLineGraph.Node
    let position: Int
    let needs: [RunnerDependency]
    /// Whether its response is needed for other lines.
    let isReferenced: Bool
    /// Whether an earlier run may have sent the line.
    let wasSentBefore: Bool
    let fingerprint: String?
    /// Whether this run has marked the line.
    var isMarked = false

    var id: String { node.line.id }

    /// Whether "may have been sent" has to be durable before the line goes to the runner. One whose dependencies did
    /// not all succeed is not sent: it is skipped there.
    var needsMark: Bool { !node.line.line.isSafe && needs.allSatisfy(\.isSuccess) }

    /// Where it waits for its mark; nil when it need not wait: a script may pause it forever.
    var ticket: SendWindow.Ticket? {
        let line = node.line.line
        guard line.script.isEmpty else { return nil }
        return SendWindow.Ticket(
            position: position, lane: RequestLine.lane(of: line.url), priority: line.priority)
    }
}

/// Keeps unsafe lines from the runner until their mark is durable. A value: it runs nothing, its effects say what is to
/// be done, in order.
struct HeldLines {
    enum Effect {
        /// The line is to be given to the runner.
        case start(JournaledLine)
        /// The mark is to be made durable; then `marked` is to be called.
        case mark(JournaledLine)
    }

    private enum Flow { case open, closedToMarks, stopped }

    private var window: SendWindow
    /// Lines that wait for their turn, by position.
    private var queued: [Int: JournaledLine] = [:]
    /// Lines whose mark is being written, by position.
    private var marking: [Int: JournaledLine] = [:]
    private var flow = Flow.open

    init(window: SendWindow) { self.window = window }

    /// The number of lines that the runner does not have yet.
    var count: Int { queued.count + marking.count }

    /// Adds a line.
    mutating func add(_ line: JournaledLine) -> [Effect] {
        guard flow != .stopped, line.needsMark else { return [.start(line)] }
        guard let ticket = line.ticket else {
            guard flow == .open else {
                queued[line.position] = line
                return []
            }
            return [mark(line)]
        }
        queued[line.position] = line
        window.enqueue(ticket)
        return nextMarks()
    }

    /// The mark of a line is durable, or cannot be written: the line goes to the runner, also after `stop()`, so that
    /// its end can take the mark back. Without a mark it must not be sent: the runner has been cancelled before.
    mutating func marked(_ position: Int, isDurable: Bool = true) -> [Effect] {
        guard var line = marking.removeValue(forKey: position) else { return [] }
        line.isMarked = isDurable
        return [.start(line)]
    }

    /// A line that was marked has its outcome.
    mutating func ended(_ ticket: SendWindow.Ticket) -> [Effect] {
        window.release(ticket.lane)
        return nextMarks()
    }

    /// Marks nothing more.
    mutating func close() { if flow == .open { flow = .closedToMarks } }

    /// Gives all lines to the runner, and those that are added later too: the runner was cancelled, and sends none of
    /// them. A line whose mark is being written follows when it is.
    mutating func stop() -> [Effect] {
        flow = .stopped
        let held = queued.values.sorted { $0.position < $1.position }
        queued = [:]
        return held.map { .start($0) }
    }

    private mutating func nextMarks() -> [Effect] {
        var effects: [Effect] = []
        while flow == .open, let ticket = window.next() {
            if let line = queued.removeValue(forKey: ticket.position) { effects.append(mark(line)) }
        }
        return effects
    }

    private mutating func mark(_ line: JournaledLine) -> Effect {
        marking[line.position] = line
        return .mark(line)
    }
}
