// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// A line on its way to the runner. Its dependencies have ended.
struct JournaledLine: Sendable {
    /// The id of the line, or of its page or element.
    let id: String
    let node: RequestLineGraph.Node
    /// The position of the line; for a page or an element another number.
    let position: Int
    /// The position of the line with the page or the element; nil for a line.
    var linePosition: Int?
    let needs: [RunnerDependency]
    /// Whether other lines need its response.
    var isReferenced = false
    /// Whether an earlier run may have sent the line.
    let wasSentBefore: Bool
    var fingerprint: String?
    /// Whether this run has marked the line.
    var isMarked = false
    /// Called when the line may be sent.
    let run: @Sendable (JournaledLine) -> Void

    /// Returns the record of the line in a state.
    func record(_ state: JournalRecord.State) -> JournalRecord {
        JournalRecord(
            position: linePosition ?? position, id: id, state: state, fingerprint: fingerprint,
            isPart: linePosition != nil)
    }

    /// Whether "may have been sent" must be durable before the runner gets the line. A line with a dependency that did
    /// not succeed is not sent: the runner skips it.
    var needsMark: Bool { !node.line.line.isSafe && needs.allSatisfy(\.isSuccess) }

    /// The ticket with which the line waits for its mark; nil if the line has a script. Such a line must not use a
    /// slot of the window, because the script may pause it forever.
    var ticket: SendWindow.Ticket? {
        let line = node.line.line
        guard line.script.isEmpty else { return nil }
        return SendWindow.Ticket(
            position: position, lane: RequestLine.lane(of: line.url), priority: line.priority)
    }
}

/// Keeps unsafe lines from the runner until their marks are durable. A value type: it runs nothing, and its effects
/// describe what to do, in order.
struct UnmarkedLines {
    enum Effect {
        /// The runner is to get the line.
        case start(JournaledLine)
        /// The mark is to be made durable; `marked` is to be called afterwards.
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

    /// Adds a line, and returns what to do.
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

    /// Passes a line to the runner when its mark is durable or cannot be written, even after `stop()`, so that the end
    /// of the line can remove the mark. Without a mark the line must not be sent: the caller has cancelled the runner
    /// before.
    mutating func marked(_ position: Int, isDurable: Bool = true) -> [Effect] {
        guard var line = marking.removeValue(forKey: position) else { return [] }
        line.isMarked = isDurable
        return [.start(line)]
    }

    /// Frees the slot of a marked line that has ended.
    mutating func ended(_ ticket: SendWindow.Ticket) -> [Effect] {
        window.release(ticket.lane)
        return nextMarks()
    }

    /// Stops marking lines.
    mutating func close() { if flow == .open { flow = .closedToMarks } }

    /// Passes all lines to the runner, and later lines too. The runner was cancelled and sends none of these lines. A
    /// line whose mark is being written follows when the mark is written.
    mutating func stop() -> [Effect] {
        flow = .stopped
        let lines = queued.values.sorted { $0.position < $1.position }
        queued = [:]
        return lines.map { .start($0) }
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
