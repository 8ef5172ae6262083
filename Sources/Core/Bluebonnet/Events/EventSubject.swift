// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The subject of an event: an operation in one of its hops, or a connection's origin.
struct EventSubject: Sendable {
    var operation: Int?
    var name: String?
    var attempt = 0
    var hop = 0
    var originText: String?
    /// Becomes text when it is read, because most monitors do not read it for each event.
    var knownOrigin: Origin?
    /// The request of the hop; nil before the first hop.
    var request: HopRequestFacts?

    var origin: String? {
        get { originText ?? knownOrigin.map { "\($0)" } }
        set { (originText, knownOrigin) = (newValue, nil) }
    }
}

/// The head of a hop's request. The body is not part of it: events must not keep it alive.
struct HopRequestFacts: Sendable {
    var method = ""
    var url = ""
    var fields: [HeaderFields.Field] = []
    var bodyByteCount: Int64? = 0
}
