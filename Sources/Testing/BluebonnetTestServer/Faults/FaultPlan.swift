// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The faults that a `FaultProxy` applies to one connection: to the bytes of each direction, and to the end of the
/// connection.
///
/// ```swift
/// var plan = FaultPlan()
/// plan.toClient.sliceByteCount = 7
/// plan.toClient.fault = .init(.reset, afterByteCount: 1000)
/// ```
public struct FaultPlan: Sendable, Hashable {
    /// The faults of one direction. The default changes nothing.
    public struct Direction: Sendable, Hashable {
        /// The delay of each byte. Default zero.
        public var latency = Duration.zero
        /// The maximum size of a piece, in bytes. Default nil: pieces pass as they arrive.
        public var sliceByteCount: Int?
        /// The number of bytes that are divided into pieces; later bytes pass as they arrive. Default nil: all.
        public var slicedByteCount: Int?
        /// The maximum rate, in bytes per second. Default nil: no limit.
        public var bytesPerSecond: Int?
        /// A fault that happens once. Default nil: none.
        public var fault: Fault?

        /// Makes a direction without faults.
        public init() {}
    }

    /// A fault at one position in the bytes of a direction.
    public struct Fault: Sendable, Hashable {
        /// The kind of the fault.
        public var kind: FaultKind
        /// The number of bytes of the direction that pass before the fault. 0 means as soon as both ends are
        /// connected.
        public var afterByteCount: Int

        /// Makes a fault.
        public init(_ kind: FaultKind, afterByteCount: Int) {
            (self.kind, self.afterByteCount) = (kind, afterByteCount)
        }
    }

    /// The kind of a fault.
    public enum FaultKind: Sendable, Hashable {
        /// Both ends get the end of the connection (FIN). Bytes in transit are lost.
        case drop
        /// Both ends get a reset (RST).
        case reset
        /// The receiver of the direction gets the end of the connection (FIN), and further bytes to it are lost. The
        /// other direction continues.
        case halfClose
        /// No bytes pass in the direction for a time; nil means until the connection ends.
        case stall(Duration?)
    }

    /// Whether the client gets a reset instead of a connection to the server. Default false.
    public var isRefused = false
    /// The direction from the client to the server.
    public var toServer = Direction()
    /// The direction from the server to the client.
    public var toClient = Direction()

    /// Makes a plan without faults.
    public init() {}

    /// Returns a plan with a fault in the direction from the server to the client.
    public static func toClient(_ kind: FaultKind, afterByteCount: Int) -> FaultPlan {
        var plan = FaultPlan()
        plan.toClient.fault = Fault(kind, afterByteCount: afterByteCount)
        return plan
    }

    /// Returns a plan with a fault in the direction from the client to the server.
    public static func toServer(_ kind: FaultKind, afterByteCount: Int) -> FaultPlan {
        var plan = FaultPlan()
        plan.toServer.fault = Fault(kind, afterByteCount: afterByteCount)
        return plan
    }
}

extension FaultPlan: CustomStringConvertible {
    /// The differences from a connection without a proxy, for the message of a failed test.
    public var description: String {
        if isRefused { return "refused" }
        let directions = [("to server", toServer), ("to client", toClient)].compactMap { name, direction in
            direction.description.isEmpty ? nil : "\(name): \(direction)"
        }
        return directions.isEmpty ? "unchanged" : directions.joined(separator: "; ")
    }
}

extension FaultPlan.Direction: CustomStringConvertible {
    /// The differences from a connection without a proxy; empty without differences.
    public var description: String {
        var words: [String] = []
        if latency > .zero { words.append("latency \(latency)") }
        if let sliceByteCount { words.append("slices of \(sliceByteCount)") }
        if let bytesPerSecond { words.append("\(bytesPerSecond) bytes a second") }
        if let fault { words.append("\(fault.kind) after \(fault.afterByteCount)") }
        return words.joined(separator: ", ")
    }
}
