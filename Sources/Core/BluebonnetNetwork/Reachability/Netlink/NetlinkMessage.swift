// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One message of the kernel's routing socket, reduced to the parts that reachability needs.
struct NetlinkMessage: Equatable {
    /// The contents of a message.
    enum Body: Equatable {
        case link(NetworkTable.Link)
        case linkRemoved(index: Int)
        case address(NetworkTable.Address)
        case addressRemoved(NetworkTable.Address)
        /// A route: an answer, or the notification of a new route.
        case route(RouteAnswer.Route)
        /// A route or rule was removed, or a rule or nexthop was added or removed: something has changed.
        case routingChanged
        /// The end of a dump.
        case done
        /// The kernel refuses a request with this errno; 0 is an acknowledgement.
        case error(Int32)
        /// The kernel has lost messages (NLMSG_OVERRUN).
        case overrun
        /// A message of a kind that is not needed here.
        case other
    }

    /// The port whose request caused the message (nlmsg_pid): the socket's own port for an answer, another port or 0
    /// for a notification.
    var port: UInt32
    /// The sequence number of that request.
    var sequence: UInt32
    /// Whether the dump was made while the state changed and has to be repeated (NLM_F_DUMP_INTR).
    var isInterrupted = false
    var body: Body
}

/// The kernel's answer about the route to one address.
enum RouteAnswer: Equatable, Sendable {
    /// A route as the kernel reports it.
    struct Route: Equatable, Sendable {
        /// The interface's number; 0 if the kernel named no interface.
        var interface = 0
        var gateway: IPAddress?
        var source: IPAddress?
        /// Whether the route rejects packets (unreachable, prohibit, blackhole, throw).
        var isRefusal = false
    }

    case route(Route)
    /// There is no route.
    case unreachable
    /// The kernel does not answer such queries.
    case refused
}
