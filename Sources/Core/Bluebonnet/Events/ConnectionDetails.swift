// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension RequestEvent {
    /// A connection of the process.
    public struct ConnectionInformation: Sendable, Hashable {
        /// Shared by all events of the connection.
        private var facts: ConnectionFacts

        /// The number of the connection in this process, from 1.
        public var number: Int {
            get { facts.number }
            set { self = ConnectionInformation(number: newValue, self) }
        }
        /// The server's address, or the proxy's: `127.0.0.1`; empty for a Unix socket.
        public var peerAddress: String {
            get { facts.peerAddress }
            set { self = ConnectionInformation(peerAddress: newValue, self) }
        }
        /// 0 for a Unix socket.
        public var peerPort: Int {
            get { facts.peerPort }
            set { self = ConnectionInformation(peerPort: newValue, self) }
        }
        /// When the connection was opened: an instant of the monotonic clock, in nanoseconds.
        public var openedAt: UInt64 {
            get { facts.openedAt }
            set { self = ConnectionInformation(openedAt: newValue, self) }
        }

        public init(number: Int, peerAddress: String = "", peerPort: Int = 0, openedAt: UInt64 = 0) {
            facts = ConnectionFacts(number: number, peerAddress: peerAddress, peerPort: peerPort, openedAt: openedAt)
        }

        init(_ facts: ConnectionFacts) { self.facts = facts }

        private init(
            number: Int? = nil, peerAddress: String? = nil, peerPort: Int? = nil, openedAt: UInt64? = nil, _ other: Self
        ) {
            self.init(
                number: number ?? other.number, peerAddress: peerAddress ?? other.peerAddress,
                peerPort: peerPort ?? other.peerPort, openedAt: openedAt ?? other.openedAt)
        }

        public static func == (one: Self, other: Self) -> Bool {
            one.facts === other.facts
                || (one.number, one.peerAddress, one.peerPort, one.openedAt)
                    == (other.number, other.peerAddress, other.peerPort, other.openedAt)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// The connection that a hop uses.
    public struct ConnectionUse: Sendable, Hashable {
        public var connection: ConnectionInformation
        /// Whether the connection was made for an earlier hop.
        public var isReused: Bool
        /// In nanoseconds, which is shorter than a `Duration`.
        private var idleNanoseconds: UInt64?
        /// How long the connection was idle before; nil if it is new, or shared with other running hops.
        public var idleTime: Duration? {
            get { idleNanoseconds.map(Duration.nanoseconds) }
            set { idleNanoseconds = newValue?.nanoseconds }
        }

        public init(_ connection: ConnectionInformation, isReused: Bool, idleTime: Duration? = nil) {
            (self.connection, self.isReused, idleNanoseconds) = (connection, isReused, idleTime?.nanoseconds)
        }

        init(_ facts: ConnectionUseFacts) {
            connection = ConnectionInformation(facts.connection)
            (isReused, idleNanoseconds) = (facts.isReused, facts.idleTime)
        }
    }
}
