// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal

/// A line in the form in which the store keeps it.
struct FleetLine {
    /// Whether a line is sent again after the loss of a worker that may have sent it. Stored as `lines.kind`.
    enum Kind: Int {
        /// The request changes nothing at the server. The line is sent again, and needs no mark.
        case safe = 0
        /// The outcome of the line is unknown.
        case unsafe = 1
        /// The line is sent again: the server can recognize a repetition, or the batch allows repetitions.
        case repeatable = 2
    }

    let id: String
    /// Scheme, host and port as they are written; empty if the line's URL is relative or known only later.
    let lane: String
    let kind: Kind
    /// The order inside a lane: 0 for the highest priority.
    let rank: Int
    /// The line's JSON text for workers, without its key: workers of the previous version do not know keys.
    let text: String
    /// The line's JSON text, as it was submitted.
    let submittedText: String
    /// The positions of the lines that this line needs, each once.
    let needs: [Int]
    /// The kind of the requests for pages and elements; nil for a line that is one request.
    var partKind: Kind?

    init(_ node: RequestLineGraph.Node, needs: [Int], settings: FleetSettings) {
        let line = node.line.line
        id = node.line.id
        lane = RequestLine.lane(of: line.url)
        let hasKey = line.hasIdempotencyKey || settings.headers.hasIdempotencyKey
        let ownKind: Kind = line.isSafe ? .safe : hasKey || settings.resendsUnsafeRequests ? .repeatable : .unsafe
        // Pages and elements take the place of the line, which changes nothing at the server.
        let hasParts = line.hasParts
        (kind, partKind) = hasParts ? (.safe, ownKind) : (ownKind, nil)
        rank = RequestLine.Priority.allCases.reversed().firstIndex(of: line.priority) ?? 0
        submittedText = line.canonicalText
        if line.unique == nil {
            text = submittedText
        } else {
            var stored = line
            stored.unique = nil
            text = stored.canonicalText
        }
        self.needs = needs
    }
}

extension RequestLine.Priority {
    /// Creates the priority of a rank.
    init(rank: Int) {
        let order = Array(RequestLine.Priority.allCases.reversed())
        self = order.indices.contains(rank) ? order[rank] : .normal
    }
}
