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

    var origin: String? {
        get { originText ?? knownOrigin.map { "\($0)" } }
        set { (originText, knownOrigin) = (newValue, nil) }
    }
}
