// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Testing

@testable import Bluebonnet

extension RequestEvent.Kind {
    /// The name of the case.
    var name: String { String("\(self)".prefix { $0.isLetter }) }
}

/// Checks whether the events of one operation come in pairs.
struct EventPairs {
    private static let ends = [
        "queued": "finished", "waitBegan": "waitEnded", "paused": "resumed", "hopBegan": "hopEnded",
    ]
    private(set) var names: [String] = []

    mutating func add(_ kind: RequestEvent.Kind) { names.append(kind.name) }

    /// Returns what is wrong; nil if each begin has one end, in order.
    ///
    /// - Parameter isFinished: whether the operation has begun, and must have ended.
    func fault(isFinished: Bool = true) -> String? {
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
        return nil
    }
}

/// A monitor that keeps all events. Any thread.
final class EventLog: EventMonitor {
    let events = Observed<[RequestEvent]>([])

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
