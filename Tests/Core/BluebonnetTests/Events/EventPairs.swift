// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Testing

@testable import Bluebonnet

extension RequestEvent.Kind {
    /// The name of the case.
    var name: String { String("\(self)".prefix { $0.isLetter }) }
}

/// Checks whether the events of one operation come in pairs, and those of each hop in order.
struct EventPairs {
    private static let ends = [
        "queued": "finished", "waitBegan": "waitEnded", "paused": "resumed", "hopBegan": "hopEnded",
    ]
    private(set) var kinds: [RequestEvent.Kind] = []

    var names: [String] { kinds.map(\.name) }

    mutating func add(_ kind: RequestEvent.Kind) { kinds.append(kind) }

    /// Returns what is wrong; nil if each begin has one end, in order, and the events of each hop are in order.
    ///
    /// - Parameter isFinished: whether the operation has begun, and must have ended.
    func fault(isFinished: Bool = true) -> String? {
        let names = names
        guard isFinished else { return names.isEmpty ? nil : "events of an operation that has not begun: \(names)" }
        guard names.first == "queued", names.last == "finished" else { return "not queued … finished: \(names)" }
        for (begin, end) in Self.ends {
            var isOpen = false
            for name in names where name == begin || name == end {
                if isOpen == (name == begin) { return "\(name) twice or without its pair: \(names)" }
                isOpen = name == begin
            }
            if isOpen { return "\(begin) without \(end): \(names)" }
        }
        var order = HopOrder()
        for kind in kinds {
            if let fault = order.fault(of: kind) { return "\(fault): \(names)" }
        }
        return nil
    }
}

/// The order of the events of one hop.
private struct HopOrder {
    private var isOpen = false
    private var isHeadSent = false
    private var isBodySent = false
    /// Whether the last event was the end of the response's body.
    private var isReceived = false

    /// Applies an event. Returns what is wrong with it.
    mutating func fault(of kind: RequestEvent.Kind) -> String? {
        let wasReceived = isReceived
        isReceived = false
        switch kind {
        case .hopBegan:
            self = HopOrder()
            isOpen = true
        case .connectionAcquired: (isHeadSent, isBodySent) = (false, false)
        case .requestHeadSent:
            if isHeadSent { return "a head was sent twice" }
            isHeadSent = true
        case .requestBodySent:
            if isBodySent || !isHeadSent { return "a body was sent twice or before its head" }
            isBodySent = true
        case .firstByte, .responseHead: if !isHeadSent { return "a response came before its request" }
        case .responseBodyReceived:
            if !isHeadSent { return "a body came before its request" }
            isReceived = true
        case .hopEnded(let end):
            if (end.reason == .complete) != wasReceived { return "the end of the body and of the hop differ" }
            isOpen = false
            return nil
        default: if wasReceived { return "an event between the end of a body and of its hop" }
        }
        return RequestEvent.Kinds.hops.contains(kind.kinds) && !isOpen ? "an event outside of a hop" : nil
    }
}

/// A monitor that keeps all events. Any thread.
final class EventLog: EventMonitor {
    let events = Observed<[RequestEvent]>([])
    let kinds: RequestEvent.Kinds

    init(kinds: RequestEvent.Kinds = .all) { self.kinds = kinds }

    func receive(_ events: [RequestEvent]) { self.events.update { $0 += events } }

    /// All events that have happened so far.
    var all: [RequestEvent] {
        get async {
            await EventMonitors.flush()
            return events.value
        }
    }

    /// The events of operations, by operation.
    var byOperation: [Int: [RequestEvent]] {
        get async { Dictionary(grouping: await all.filter { $0.operation != nil }) { $0.operation ?? 0 } }
    }

    /// The names of the events of operations, in order.
    var names: [String] { get async { await all.filter { $0.operation != nil }.map(\.kind.name) } }
}
