// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Testing

extension TestServer {
    /// The events on a server since it started.
    public struct Log: Sendable {
        /// The complete requests, in order of arrival.
        public internal(set) var requests: [ReceivedRequest] = []
        /// The received parts of requests whose connection ended before they were complete.
        public internal(set) var unfinishedRequests: [ReceivedRequest] = []
        /// Every accepted connection, in order.
        public internal(set) var connections: [Connection] = []
        /// The number of open connections.
        public internal(set) var openConnectionCount = 0

        /// Returns the connection with this number; nil if it was not accepted yet.
        public func connection(_ number: Int) -> Connection? {
            connections.indices.contains(number - 1) ? connections[number - 1] : nil
        }
    }

    /// The events on one connection.
    public struct Connection: Sendable {
        /// The number of the connection, from 1.
        public let number: Int
        /// Whether the connection is still open.
        public internal(set) var isOpen = true
        /// The number of received bytes, including TLS overhead.
        public internal(set) var receivedByteCount = 0
        /// The number of bytes that the socket has accepted, including TLS overhead.
        public internal(set) var sentByteCount = 0
        /// A description of the first error on the connection: a refused handshake, a reset, bytes that are not HTTP.
        public internal(set) var failure: String?
    }

    /// The complete requests, in order of arrival.
    public var requests: [ReceivedRequest] { history.requests }

    /// The number of connections accepted so far.
    public var connectionCount: Int { history.connections.count }

    /// The number of open connections.
    public var openConnectionCount: Int { history.openConnectionCount }

    /// Waits until `count` complete requests have arrived.
    public func waitForRequests(count: Int, at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { $0.requests.count >= count }
    }

    /// Waits until `count` connections were accepted.
    public func waitForConnections(count: Int, at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { $0.connections.count >= count }
    }

    /// Waits until no connection is open.
    public func waitForConnectionsToClose(at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { $0.openConnectionCount == 0 }
    }
}

extension TestServer.Log: CustomStringConvertible {
    /// The log in the form that the message of a timed-out test shows.
    public var description: String {
        let lines = requests.suffix(50).map { "\($0.method) \($0.target)" }.joined(separator: ", ")
        return "\(requests.count) requests (\(lines)), \(connections.count) connections, \(openConnectionCount) open"
    }
}
