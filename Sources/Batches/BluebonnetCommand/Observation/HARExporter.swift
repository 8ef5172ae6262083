// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Makes a HAR file (HTTP Archive 1.2): an entry for each hop that has ended, without bodies and secrets.
///
/// An entry begins when the previous hop of its operation has ended, or when the operation was queued. `blocked` is the
/// time that the hop waited after that: before it began, and during pauses.
struct HARExporter: EventExporter {
    /// An operation that has not finished.
    private struct Open {
        /// The begin of the next entry.
        var begin: (instant: UInt64, date: Date)
        var hop: HARHop?
        /// The method and the URL of the latest hop, and the number of consecutive earlier hops with the same.
        var latest: (method: String, url: String)?
        var resendCount = 0
    }

    private var open: [Int: Open] = [:]
    private var hasEntries = false

    var head: String {
        let creator = #"{"name":"bluebonnet","version":"\#(LibraryVersion.text)"}"#
        return #"{"log":{"version":"1.2","creator":\#(creator),"entries":["#
    }
    var tail: String { "\n]}}\n" }

    mutating func receive(_ event: RequestEvent, of line: ObservedLine?) -> String {
        guard let number = event.operation else { return "" }
        switch event.kind {
        case .finished: open[number] = nil
        case .hopBegan(let head): beginHop(head, event, number)
        case .hopEnded(let end):
            guard var hop = open[number]?.hop else { return "" }
            hop.end = (event.instant, end)
            open[number]?.hop = nil
            open[number]?.begin = (event.instant, event.date)
            defer { hasEntries = true }
            return (hasEntries ? ",\n" : "\n") + HAREntry(hop, EventRedaction(line)).text
        default:
            if open[number] == nil { open[number] = Open(begin: (event.instant, event.date)) }
            open[number]?.hop?.record(event)
        }
        return ""
    }

    private mutating func beginHop(_ head: RequestEvent.HopRequestHead, _ event: RequestEvent, _ number: Int) {
        var state = open[number] ?? Open(begin: (event.instant, event.date))
        let isResent = state.latest.map { $0 == (head.method, head.url) } ?? false
        state.resendCount = isResent ? state.resendCount + 1 : 0
        state.latest = (head.method, head.url)
        state.hop = HARHop(event, head, begin: state.begin, resendCount: state.resendCount)
        open[number] = state
    }
}

/// The events of one hop.
struct HARHop {
    let operation: Int?
    let line: String?
    let attempt: Int
    let request: RequestEvent.HopRequestHead
    /// The begin of the entry.
    let begin: (instant: UInt64, date: Date)
    let resendCount: Int
    private(set) var response: RequestEvent.HopResponseHead?
    private(set) var connection: (instant: UInt64, use: RequestEvent.ConnectionUse)?
    /// When the last part of the request was sent that was reported: its head or its body.
    private(set) var sentAt: UInt64?
    private(set) var hasTLS = false
    fileprivate(set) var end: (instant: UInt64, end: RequestEvent.HopEnd) = (0, RequestEvent.HopEnd(.cancelled))

    init(
        _ event: RequestEvent, _ head: RequestEvent.HopRequestHead, begin: (instant: UInt64, date: Date),
        resendCount: Int
    ) {
        (operation, line, attempt) = (event.operation, event.name, event.attempt)
        (request, self.begin, self.resendCount) = (head, begin, resendCount)
    }

    mutating func record(_ event: RequestEvent) {
        switch event.kind {
        case .connectionAcquired(let use): connection = (event.instant, use)
        case .tlsEstablished: hasTLS = true
        case .requestHeadSent, .requestBodySent: if response == nil { sentAt = event.instant }
        case .responseHead(let head): response = head
        default: break
        }
    }
}

extension HARHop {
    /// The timings of an entry, in nanoseconds; nil for what does not apply.
    struct Timings: Equatable {
        var blocked: UInt64?
        var dns: UInt64?
        /// With `ssl`.
        var connect: UInt64?
        var ssl: UInt64?
        var send: UInt64 = 0
        var wait: UInt64 = 0
        var receive: UInt64 = 0

        /// The time of the entry: the sum of all, in which `connect` contains `ssl`.
        var total: UInt64 { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + ($1 ?? 0) } }
    }

    var timings: Timings {
        let phases = end.end.phases
        let connecting = phases.nameLookup + phases.connect + phases.tls
        var timings = Timings()
        if connecting > .zero, connection?.use.isReused != true {
            if phases.nameLookup > .zero { timings.dns = phases.nameLookup.nanoseconds }
            timings.connect = (phases.connect + phases.tls).nanoseconds
            if hasTLS || phases.tls > .zero { timings.ssl = phases.tls.nanoseconds }
        }
        let waiting = phases.waiting.nanoseconds
        if let sentAt, let acquired = connection?.instant, sentAt > acquired {
            timings.send = min(sentAt - acquired, waiting)
        }
        timings.wait = waiting - timings.send
        timings.receive = phases.receiving.nanoseconds
        // A pause inside the hop counts in no phase.
        let elapsed = end.instant - min(begin.instant, end.instant)
        let worked = phases.total.nanoseconds
        if elapsed > worked { timings.blocked = elapsed - worked }
        return timings
    }
}
