// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal

/// A line as the store keeps it.
struct FleetLine {
    /// What may be done when a worker was lost that may have sent the line: `lines.kind`.
    enum Kind: Int {
        /// The server is asked to change nothing: it is sent again, and needs no mark.
        case safe = 0
        /// Its outcome is unknown then.
        case unsafe = 1
        /// It is sent again: the server can tell a repetition, or the batch wants it.
        case repeatable = 2
    }

    let id: String
    /// Scheme, host and port as they are written; empty when the line's URL is relative, or known later only.
    let lane: String
    let kind: Kind
    /// The order inside a lane: the highest priority first, from 0.
    let rank: Int
    let text: String
    /// The positions of the lines that it needs.
    let needs: [Int]

    init(_ node: RequestLineGraph.Node, needs: [Int], settings: FleetSettings) {
        let line = node.line.line
        id = node.line.id
        lane = RequestLine.lane(of: line.url)
        let hasKey = line.hasIdempotencyKey || settings.headers.hasIdempotencyKey
        kind = line.isSafe ? .safe : hasKey || settings.resendsUnsafeRequests ? .repeatable : .unsafe
        rank = RequestLine.Priority.allCases.reversed().firstIndex(of: line.priority) ?? 0
        text = line.canonicalText
        self.needs = needs
    }
}

extension RequestLine.Priority {
    /// The priority of a rank.
    init(rank: Int) {
        let order = Array(RequestLine.Priority.allCases.reversed())
        self = order.indices.contains(rank) ? order[rank] : .normal
    }
}
