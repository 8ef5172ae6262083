// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Makes a file with a JSON object in each line, one for each event. The page "The command's format" describes the
/// members; their names are stable.
struct LogExporter: EventExporter {
    var head: String { "" }
    var tail: String { "" }

    mutating func receive(_ event: RequestEvent, of line: ObservedLine?) -> String {
        var text = JSONText(expectedByteCount: 256)
        text.object { text in
            text.member("time", EventText.date(event.date))
            text.member("instant", event.instant)
            text.member("event", event.kind.word)
            text.member("operation", event.operation)
            text.member("line", event.name)
            if event.operation != nil {
                text.member("attempt", event.attempt)
                text.member("hop", event.hop)
            }
            text.member("origin", event.origin)
            EventDetails(event.kind, EventRedaction(line)).write(to: &text)
        }
        text.endLine()
        return text.string
    }
}

extension RequestEvent.Kind {
    /// The name of the event in logs.
    var word: String {
        switch self {
        case .queued: "queued"
        case .admitted: "admitted"
        case .waitBegan: "waitBegan"
        case .waitEnded: "waitEnded"
        case .paused: "paused"
        case .resumed: "resumed"
        case .cacheAnswered: "cacheAnswered"
        case .hopBegan: "hopBegan"
        case .nameLookedUp: "nameLookedUp"
        case .connected: "connected"
        case .tlsEstablished: "tlsEstablished"
        case .connectionAcquired: "connectionAcquired"
        case .requestHeadSent: "requestHeadSent"
        case .requestBodySent: "requestBodySent"
        case .firstByte: "firstByte"
        case .responseHead: "responseHead"
        case .bodyProgress: "bodyProgress"
        case .responseBodyReceived: "responseBodyReceived"
        case .hopEnded: "hopEnded"
        case .redirectDecided: "redirectDecided"
        case .challengeAnswered: "challengeAnswered"
        case .retryDecided: "retryDecided"
        case .finished: "finished"
        case .governorChanged: "governorChanged"
        case .connectionOpened: "connectionOpened"
        case .connectionIdle: "connectionIdle"
        case .connectionClosed: "connectionClosed"
        case .eventsDropped: "eventsDropped"
        }
    }
}
