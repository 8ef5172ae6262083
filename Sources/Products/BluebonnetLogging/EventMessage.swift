// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Logging

extension RequestEvent.Kind {
    /// The level of an event's message, and its constant text.
    var levelAndMessage: (Logger.Level, String) {
        switch self {
        case .queued: (.debug, "Request queued")
        case .admitted: (.debug, "Request admitted")
        case .waitBegan(.hold): (.notice, "Request waits, because its server asked clients to wait")
        case .waitBegan(.breaker): (.notice, "Request waits for the circuit breaker")
        case .waitBegan: (.debug, "Request waits")
        case .waitEnded: (.debug, "Request stopped waiting")
        case .paused: (.debug, "Request paused")
        case .resumed: (.debug, "Request resumed")
        case .cacheAnswered: (.debug, "Cache answered")
        case .hopBegan: (.debug, "Sending began")
        case .nameLookedUp: (.trace, "Name looked up")
        case .connected: (.trace, "Connected")
        case .tlsEstablished: (.trace, "TLS established")
        case .connectionAcquired: (.trace, "Connection acquired")
        case .requestHeadSent: (.trace, "Request head sent")
        case .requestBodySent: (.trace, "Request body sent")
        case .firstByte: (.trace, "First byte received")
        case .responseHead: (.debug, "Response head received")
        case .bodyProgress: (.trace, "Body progressed")
        case .responseBodyReceived: (.trace, "Response body received")
        case .hopEnded: (.debug, "Sending ended")
        case .redirectDecided: (.debug, "Redirect followed")
        case .challengeAnswered: (.debug, "Challenge answered")
        case .retryDecided(.retry): (.notice, "Request is retried")
        case .retryDecided(.stop): (.debug, "Request is not retried")
        case .finished(let end): end.levelAndMessage
        case .governorChanged(let change): change.levelAndMessage
        case .connectionOpened: (.trace, "Connection opened")
        case .connectionIdle: (.trace, "Connection idle")
        case .connectionClosed: (.trace, "Connection closed")
        case .eventsDropped: (.warning, "Events dropped, because a monitor was too slow")
        @unknown default: (.trace, "Other event")
        }
    }
}

extension RequestEvent.OperationEnd {
    fileprivate var levelAndMessage: (Logger.Level, String) {
        switch errorCode {
        case nil: (.debug, "Request finished")
        case .cancelled?: (.debug, "Request cancelled")
        default: (.warning, "Request failed")
        }
    }
}

extension RequestEvent.GovernorChange {
    fileprivate var levelAndMessage: (Logger.Level, String) {
        switch self {
        case .hold: (.notice, "Origin on hold, because its server asked clients to wait")
        case .rate: (.notice, "Rate of the origin learned")
        case .breakerOpened: (.notice, "Circuit breaker opened")
        case .breakerHalfOpened: (.debug, "Circuit breaker half-opened")
        case .breakerClosed: (.debug, "Circuit breaker closed")
        }
    }
}
