// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Testing

extension TestServer {
    /// What happened on a server since it started.
    public struct Log: Sendable {
        /// The requests that arrived whole, in order of arrival.
        public internal(set) var requests: [ReceivedRequest] = []
        /// What had arrived of requests whose connection ended first.
        public internal(set) var unfinishedRequests: [ReceivedRequest] = []
        /// Every connection that was accepted, in order.
        public internal(set) var connections: [Connection] = []
        /// The connections that are open now.
        public internal(set) var openConnectionCount = 0

        /// The connection of that number, if there was one yet.
        public func connection(_ number: Int) -> Connection? {
            connections.indices.contains(number - 1) ? connections[number - 1] : nil
        }
    }

    /// What happened on one connection.
    public struct Connection: Sendable {
        /// Its number, from 1.
        public let number: Int
        /// Whether it is still open.
        public internal(set) var isOpen = true
        /// Bytes that arrived, of TLS too.
        public internal(set) var receivedByteCount = 0
        /// Bytes that the socket has accepted, of TLS too.
        public internal(set) var sentByteCount = 0
        /// What went wrong on it first, in words: a refused handshake, a reset, bytes that are no HTTP.
        public internal(set) var failure: String?
    }

    /// The requests that arrived whole, in order of arrival.
    public var requests: [ReceivedRequest] { history.requests }

    /// The connections accepted so far.
    public var connectionCount: Int { history.connections.count }

    /// The connections that are open now.
    public var openConnectionCount: Int { history.openConnectionCount }

    /// Waits until that many requests arrived whole.
    public func waitForRequests(count: Int, at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { $0.requests.count >= count }
    }

    /// Waits until that many connections were accepted.
    public func waitForConnections(count: Int, at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { $0.connections.count >= count }
    }

    /// Waits until no connection is open.
    public func waitForConnectionsToClose(at location: SourceLocation = #_sourceLocation) async {
        await wait(at: location) { $0.openConnectionCount == 0 }
    }
}

extension TestServer.Log: CustomStringConvertible {
    /// What a test that waited in vain shows.
    public var description: String {
        let lines = requests.suffix(50).map { "\($0.method) \($0.target)" }.joined(separator: ", ")
        return "\(requests.count) requests (\(lines)), \(connections.count) connections, \(openConnectionCount) open"
    }
}
