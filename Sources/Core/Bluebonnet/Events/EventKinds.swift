// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension RequestEvent {
    /// A set of kinds of events, without their details: the events that a monitor wants.
    ///
    /// Events of other kinds cost almost nothing. `eventsDropped` is always delivered. A monitor that wants one event
    /// of a pair usually wants the other, too.
    public struct Kinds: OptionSet, Sendable, Hashable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) { self.rawValue = rawValue }

        private init(bit: UInt32) { rawValue = 1 << bit }

        public static let queued = Kinds(bit: 0)
        public static let admitted = Kinds(bit: 1)
        public static let waitBegan = Kinds(bit: 2)
        public static let waitEnded = Kinds(bit: 3)
        public static let paused = Kinds(bit: 4)
        public static let resumed = Kinds(bit: 5)
        public static let cacheAnswered = Kinds(bit: 6)
        public static let hopBegan = Kinds(bit: 7)
        public static let nameLookedUp = Kinds(bit: 8)
        public static let connected = Kinds(bit: 9)
        public static let tlsEstablished = Kinds(bit: 10)
        public static let connectionAcquired = Kinds(bit: 11)
        public static let requestHeadSent = Kinds(bit: 12)
        public static let requestBodySent = Kinds(bit: 13)
        public static let firstByte = Kinds(bit: 14)
        public static let responseHead = Kinds(bit: 15)
        public static let bodyProgress = Kinds(bit: 16)
        public static let responseBodyReceived = Kinds(bit: 17)
        public static let hopEnded = Kinds(bit: 18)
        public static let redirectDecided = Kinds(bit: 19)
        public static let challengeAnswered = Kinds(bit: 20)
        public static let retryDecided = Kinds(bit: 21)
        public static let finished = Kinds(bit: 22)
        public static let governorChanged = Kinds(bit: 23)
        public static let connectionOpened = Kinds(bit: 24)
        public static let connectionIdle = Kinds(bit: 25)
        public static let connectionClosed = Kinds(bit: 26)
        public static let eventsDropped = Kinds(bit: 27)

        /// Every kind, also of later versions.
        public static let all = Kinds(rawValue: .max)
        /// `queued`, `admitted`, waits, pauses, decisions and `finished`: what happens to operations, without their
        /// hops.
        public static let operations: Kinds = [
            .queued, .admitted, .waitBegan, .waitEnded, .paused, .resumed, .cacheAnswered, .redirectDecided,
            .challengeAnswered, .retryDecided, .finished,
        ]
        /// From `hopBegan` to `hopEnded`.
        public static let hops: Kinds = [
            .hopBegan, .nameLookedUp, .connected, .tlsEstablished, .connectionAcquired, .requestHeadSent,
            .requestBodySent, .firstByte, .responseHead, .bodyProgress, .responseBodyReceived, .hopEnded,
        ]
        /// The events of connections without an operation.
        public static let connections: Kinds = [.connectionOpened, .connectionIdle, .connectionClosed]
    }
}

extension RequestEvent.Kind {
    /// Made once, because most operations have no reason to wait when they are queued.
    static let queuedWithoutReason = RequestEvent.Kind.queued(nil)

    /// The kind without its details.
    public var kinds: RequestEvent.Kinds {
        switch self {
        case .queued: .queued
        case .admitted: .admitted
        case .waitBegan: .waitBegan
        case .waitEnded: .waitEnded
        case .paused: .paused
        case .resumed: .resumed
        case .cacheAnswered: .cacheAnswered
        case .hopBegan: .hopBegan
        case .nameLookedUp: .nameLookedUp
        case .connected: .connected
        case .tlsEstablished: .tlsEstablished
        case .connectionAcquired: .connectionAcquired
        case .requestHeadSent: .requestHeadSent
        case .requestBodySent: .requestBodySent
        case .firstByte: .firstByte
        case .responseHead: .responseHead
        case .bodyProgress: .bodyProgress
        case .responseBodyReceived: .responseBodyReceived
        case .hopEnded: .hopEnded
        case .redirectDecided: .redirectDecided
        case .challengeAnswered: .challengeAnswered
        case .retryDecided: .retryDecided
        case .finished: .finished
        case .governorChanged: .governorChanged
        case .connectionOpened: .connectionOpened
        case .connectionIdle: .connectionIdle
        case .connectionClosed: .connectionClosed
        case .eventsDropped: .eventsDropped
        }
    }
}
