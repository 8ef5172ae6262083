// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One message of the kernel's routing socket, as far as reachability needs it.
struct NetlinkMessage: Equatable {
    enum Body: Equatable {
        case link(NetworkTable.Link)
        case linkRemoved(index: Int)
        case address(NetworkTable.Address)
        case addressRemoved(NetworkTable.Address)
        /// A route: an answer, or news of a new one.
        case route(RouteAnswer.Route)
        /// A route or rule was removed, or a rule or nexthop added: something has changed.
        case routingChanged
        /// The end of a dump.
        case done
        /// The kernel refuses a request, with this errno; 0 is an acknowledgement.
        case error(Int32)
        /// The kernel has lost messages (NLMSG_OVERRUN).
        case overrun
        /// Of a kind that does not matter here.
        case other
    }

    /// Whose request this goes back to (nlmsg_pid): one's own port for an answer, another one's, or 0, for news.
    var port: UInt32
    /// The number of that request.
    var sequence: UInt32
    /// The dump that this belongs to was made while things changed, and has to be made again (NLM_F_DUMP_INTR).
    var isInterrupted = false
    var body: Body
}

/// What the kernel says of the way to one address.
enum RouteAnswer: Equatable, Sendable {
    struct Route: Equatable, Sendable {
        /// The interface's number; 0 when the kernel named none.
        var interface = 0
        var gateway: IPAddress?
        var source: IPAddress?
        /// Whether it is a route that refuses (unreachable, prohibit, blackhole, throw).
        var isRefusal = false
    }

    case route(Route)
    /// There is no way there.
    case unreachable
    /// The kernel does not answer such questions.
    case refused
}
