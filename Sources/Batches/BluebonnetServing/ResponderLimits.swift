// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The limits of a responder. They bound its memory, its descriptors and the time that a client can use.
package struct ResponderLimits: Sendable {
    /// The maximum number of connections. A further connection takes the place of the connection without a
    /// complete request for the longest time.
    package var connectionCount = 256
    /// The maximum number of connections that receive events.
    package var streamCount = 200
    /// The maximum number of bytes of a request's head.
    package var headByteCount = 8_192
    /// The maximum number of fields of a request.
    package var fieldCount = 64
    /// How long a head may take from the first byte on, and how long a connection may be without a request.
    package var headTime = Duration.seconds(10)
    /// How long a client may accept no byte of a response or an event. Then the connection is closed.
    package var stallTime = Duration.seconds(10)
    /// How long a connection waits for its client to close it, after the last response.
    package var lingerTime = Duration.seconds(2)

    package init() {}
}

/// The answer of a program to a request.
package enum ServedReply: Sendable {
    /// A response.
    case response(ServedResponse)
    /// Server-sent events: each publication under the topic, until one side closes the connection.
    case events(topic: String)
    /// One response, as soon as something is published under the topic.
    case next(topic: String, @Sendable ([UInt8]) -> ServedResponse)
}
