// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension RequestEvent {
    /// The head of a hop's request.
    public struct HopRequestHead: Sendable {
        /// The head is a part of the hop's subject, so that a hop needs one object for both.
        private var subject: Box<EventSubject>

        public var method: String {
            get { facts.method }
            set { change { $0.method = newValue } }
        }
        /// The URL, with its user information and query.
        public var url: String {
            get { facts.url }
            set { change { $0.url = newValue } }
        }
        /// The fields in the order in which they are sent. libcurl adds `Host`, and fields for the connection
        /// and the proxy.
        public var headers: [(name: String, value: String)] { facts.fields.map { ($0.name, $0.value) } }
        /// The length of the body; nil if it is not known before the end. 0 without a body.
        public var bodyByteCount: Int64? {
            get { facts.bodyByteCount }
            set { change { $0.bodyByteCount = newValue } }
        }

        public init(
            method: String, url: String, headers: [(name: String, value: String)] = [], bodyByteCount: Int64? = 0
        ) {
            let facts = HopRequestFacts(
                method: method, url: url, fields: headers.map { HeaderFields.Field(name: $0.name, value: $0.value) },
                bodyByteCount: bodyByteCount)
            self.init(Box(EventSubject(request: facts)))
        }

        init(_ subject: Box<EventSubject>) { self.subject = subject }

        private var facts: HopRequestFacts { subject.value.request ?? HopRequestFacts() }

        private mutating func change(_ change: (inout HopRequestFacts) -> Void) {
            var facts = facts
            change(&facts)
            subject = subject.changed { $0.request = facts }
        }
    }

    /// How a hop ended.
    public struct HopEnd: Sendable {
        public enum Reason: Sendable, Hashable {
            /// The response is complete, according to its framing.
            case complete
            /// The transfer was stopped for a pause; it continues or starts over with another hop.
            case paused
            /// The transfer was stopped by a cancellation, or because its operation was released.
            case cancelled
            /// The transfer begins again over another connection.
            case restarted
            case failed(NetworkingError.Code)
        }

        public var reason: Reason
        /// The status of the response; nil if no head arrived.
        public var statusCode: Int?
        /// The received part of the body, as it came over the connection.
        public var receivedByteCount: Int64
        /// The received part without content coding; nil if the body has a content coding and was not decoded, as the
        /// body of a redirect.
        public var decodedByteCount: Int64?
        /// The sent part of the body.
        public var sentByteCount: Int64
        /// How long the phases of the hop took. A pause inside the hop counts in no phase.
        public var phases: HopPhases

        public init(
            _ reason: Reason, statusCode: Int? = nil, receivedByteCount: Int64 = 0, decodedByteCount: Int64? = nil,
            sentByteCount: Int64 = 0, phases: HopPhases = HopPhases()
        ) {
            (self.reason, self.statusCode, self.phases) = (reason, statusCode, phases)
            (self.receivedByteCount, self.decodedByteCount) = (receivedByteCount, decodedByteCount)
            self.sentByteCount = sentByteCount
        }
    }

    /// The durations of one hop's phases; a phase that did not happen is zero.
    public struct HopPhases: Sendable, Hashable {
        /// In nanoseconds, because making durations costs more than the rest of the event.
        struct Nanoseconds: Sendable, Hashable {
            var nameLookup: UInt64 = 0
            var connect: UInt64 = 0
            var tls: UInt64 = 0
            var waiting: UInt64 = 0
            var receiving: UInt64 = 0
        }

        private var nanoseconds = Nanoseconds()

        public var nameLookup: Duration {
            get { .nanoseconds(nanoseconds.nameLookup) }
            set { nanoseconds.nameLookup = newValue.nanoseconds }
        }
        /// TCP, without the look-up and TLS.
        public var connect: Duration {
            get { .nanoseconds(nanoseconds.connect) }
            set { nanoseconds.connect = newValue.nanoseconds }
        }
        public var tls: Duration {
            get { .nanoseconds(nanoseconds.tls) }
            set { nanoseconds.tls = newValue.nanoseconds }
        }
        /// From the connection to the first byte of the response: sending, and the server's work.
        public var waiting: Duration {
            get { .nanoseconds(nanoseconds.waiting) }
            set { nanoseconds.waiting = newValue.nanoseconds }
        }
        /// From the first byte to the end.
        public var receiving: Duration {
            get { .nanoseconds(nanoseconds.receiving) }
            set { nanoseconds.receiving = newValue.nanoseconds }
        }
        /// The sum of the phases.
        public var total: Duration { nameLookup + connect + tls + waiting + receiving }

        /// Makes phases; a phase that did not happen is zero, the default.
        public init(
            nameLookup: Duration = .zero, connect: Duration = .zero, tls: Duration = .zero, waiting: Duration = .zero,
            receiving: Duration = .zero
        ) {
            nanoseconds = Nanoseconds(
                nameLookup: nameLookup.nanoseconds, connect: connect.nanoseconds, tls: tls.nanoseconds,
                waiting: waiting.nanoseconds, receiving: receiving.nanoseconds)
        }

        init(_ nanoseconds: Nanoseconds) { self.nanoseconds = nanoseconds }
    }
}
