// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a `FaultProxy` does to one connection: to the bytes of each direction, and to its end.
///
/// ```swift
/// var plan = FaultPlan()
/// plan.toClient.sliceByteCount = 7
/// plan.toClient.fault = .init(.reset, afterByteCount: 1000)
/// ```
public struct FaultPlan: Sendable, Hashable {
    /// What happens to the bytes of one direction. The default changes nothing.
    public struct Direction: Sendable, Hashable {
        /// How much later each byte arrives. Default zero.
        public var latency = Duration.zero
        /// The most bytes that arrive in one piece. Default nil: pieces are as they come.
        public var sliceByteCount: Int?
        /// How many bytes are divided into such pieces; what follows arrives as it comes. Default nil: all.
        public var slicedByteCount: Int?
        /// The most bytes a second. Default nil: no limit.
        public var bytesPerSecond: Int?
        /// What goes wrong, once. Default nil: nothing.
        public var fault: Fault?

        /// Changes nothing.
        public init() {}
    }

    /// Something that goes wrong at one place in the bytes of a direction.
    public struct Fault: Sendable, Hashable {
        /// What happens.
        public var kind: FaultKind
        /// How many bytes of the direction arrive before. 0 is as soon as both ends are connected.
        public var afterByteCount: Int

        /// Makes a fault.
        public init(_ kind: FaultKind, afterByteCount: Int) {
            (self.kind, self.afterByteCount) = (kind, afterByteCount)
        }
    }

    /// What goes wrong.
    public enum FaultKind: Sendable, Hashable {
        /// Both ends get the end of the connection (FIN); bytes that are under way are lost.
        case drop
        /// Both ends get a reset (RST).
        case reset
        /// The end that the direction leads to gets an end (FIN), and what else is sent to it is lost. The other
        /// direction goes on.
        case halfClose
        /// Nothing arrives in the direction for a time; nil is for as long as the connection is open.
        case stall(Duration?)
    }

    /// Whether the client gets a reset instead of a connection to the server. Default false.
    public var isRefused = false
    /// What the client sends.
    public var toServer = Direction()
    /// What the server sends.
    public var toClient = Direction()

    /// Changes nothing.
    public init() {}

    /// A plan in which something goes wrong in what the server sends.
    public static func toClient(_ kind: FaultKind, afterByteCount: Int) -> FaultPlan {
        var plan = FaultPlan()
        plan.toClient.fault = Fault(kind, afterByteCount: afterByteCount)
        return plan
    }

    /// A plan in which something goes wrong in what the client sends.
    public static func toServer(_ kind: FaultKind, afterByteCount: Int) -> FaultPlan {
        var plan = FaultPlan()
        plan.toServer.fault = Fault(kind, afterByteCount: afterByteCount)
        return plan
    }
}

extension FaultPlan: CustomStringConvertible {
    /// What differs from a connection without a proxy, for the message of a test that fails.
    public var description: String {
        if isRefused { return "refused" }
        let directions = [("to server", toServer), ("to client", toClient)].compactMap { name, direction in
            direction.description.isEmpty ? nil : "\(name): \(direction)"
        }
        return directions.isEmpty ? "unchanged" : directions.joined(separator: "; ")
    }
}

extension FaultPlan.Direction: CustomStringConvertible {
    /// What differs from a connection without a proxy; empty when nothing does.
    public var description: String {
        var words: [String] = []
        if latency > .zero { words.append("latency \(latency)") }
        if let sliceByteCount { words.append("slices of \(sliceByteCount)") }
        if let bytesPerSecond { words.append("\(bytesPerSecond) bytes a second") }
        if let fault { words.append("\(fault.kind) after \(fault.afterByteCount)") }
        return words.joined(separator: ", ")
    }
}
