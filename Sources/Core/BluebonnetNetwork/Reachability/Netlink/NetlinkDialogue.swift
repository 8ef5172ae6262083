// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// The state of the queries to the kernel: links and addresses are listed once, then routes are queried on request,
/// while change notifications arrive in between. A value without socket or clock.
struct NetlinkDialogue {
    /// The state of the dialogue.
    enum Phase: Equatable {
        /// Nothing is known, or messages were lost. `begin()` is next.
        case stale
        case listingLinks(sequence: UInt32)
        case listingAddresses(sequence: UInt32)
        /// The table is up to date as of the last message.
        case following
        case lookingUp(LookUp)
        /// The kernel does not answer such queries for this process.
        case refused
    }

    /// A lookup of routes: the addresses still to query, the pending queries and the answers so far.
    struct LookUp: Equatable {
        var waiting: [IPAddress]
        var outstanding: [UInt32: IPAddress] = [:]
        var answers: [IPAddress: RouteAnswer] = [:]
    }

    /// An action that the caller has to perform.
    enum Effect: Equatable {
        case send(NetlinkRequest, sequence: UInt32)
        /// Something has changed. Query again after a quiet period.
        case changed
        /// The table is complete.
        case listed
        case answered([IPAddress: RouteAnswer])
        case refused
    }

    /// The maximum number of concurrent queries: a small receive buffer has space for their answers.
    private static let outstandingLimit = 8

    private(set) var phase = Phase.stale
    private(set) var table = NetworkTable()
    private let port: UInt32
    private var pending = NetworkTable()
    private var isListInterrupted = false
    private var lastSequence: UInt32 = 0

    /// - Parameter port: the socket's own port, which distinguishes answers from notifications.
    init(port: UInt32) { self.port = port }

    /// Lists all links and addresses again.
    mutating func begin() -> [Effect] {
        pending = NetworkTable()
        isListInterrupted = false
        let sequence = nextSequence()
        phase = .listingLinks(sequence: sequence)
        return [.send(.allLinks, sequence: sequence)]
    }

    /// Discards the known state, because messages were lost or an answer did not arrive.
    mutating func invalidate() -> [Effect] {
        guard phase != .refused else { return [] }
        phase = .stale
        return [.changed]
    }

    /// Gives up, because the socket or the kernel refuses.
    mutating func refuse() -> [Effect] {
        phase = .refused
        return [.refused]
    }

    /// Queries the routes to addresses. Only while `following`.
    mutating func lookUp(_ addresses: Set<IPAddress>) -> [Effect] {
        precondition(phase == .following, "the kernel was asked a question while it answered another one")
        var lookUp = LookUp(waiting: addresses.sorted { $0.description < $1.description })
        return continueLookUp(&lookUp)
    }

    /// Handles a message from the kernel.
    mutating func handle(_ message: NetlinkMessage) -> [Effect] {
        if message.body == .overrun { return invalidate() }
        guard message.port == port else { return applyNotification(message.body) }
        switch phase {
        case .stale, .following, .refused: return []  // the answer to an abandoned query
        case .listingLinks(let sequence), .listingAddresses(let sequence):
            return message.sequence == sequence ? applyListed(message) : []
        case .lookingUp(var lookUp):
            guard let address = lookUp.outstanding.removeValue(forKey: message.sequence) else { return [] }
            return recordAnswer(message.body, address, &lookUp)
        }
    }
}

extension NetlinkDialogue {
    private mutating func nextSequence() -> UInt32 {
        lastSequence = lastSequence == .max ? 1 : lastSequence + 1
        return lastSequence
    }

    /// Applies a change notification. Messages arrive in order, so a change also belongs in the list that is being
    /// built.
    private mutating func applyNotification(_ body: NetlinkMessage.Body) -> [Effect] {
        switch body {
        case .link, .linkRemoved, .address, .addressRemoved:
            pending.apply(body)
            table.apply(body)
            return [.changed]
        case .route, .routingChanged: return [.changed]
        case .done, .error, .overrun, .other: return []
        }
    }

    private mutating func applyListed(_ message: NetlinkMessage) -> [Effect] {
        isListInterrupted = isListInterrupted || message.isInterrupted
        switch message.body {
        case .link, .address: pending.apply(message.body)
        case .done: return endList()
        case .error(let code): return code == 0 ? [] : Self.isTemporary(code) ? invalidate() : refuse()
        case .linkRemoved, .addressRemoved, .route, .routingChanged, .overrun, .other: break
        }
        return []
    }

    private mutating func endList() -> [Effect] {
        if isListInterrupted { return invalidate() }
        if case .listingLinks = phase {
            let sequence = nextSequence()
            phase = .listingAddresses(sequence: sequence)
            return [.send(.allAddresses, sequence: sequence)]
        }
        table = pending
        phase = .following
        return [.listed]
    }

    private mutating func recordAnswer(
        _ body: NetlinkMessage.Body, _ address: IPAddress, _ lookUp: inout LookUp
    ) -> [Effect] {
        switch body {
        case .route(let route): lookUp.answers[address] = .route(route)
        case .error(let code) where Self.isTemporary(code): return invalidate()
        case .error(let code): lookUp.answers[address] = Self.answer(code, isIPv6: address.isIPv6)
        case .link, .linkRemoved, .address, .addressRemoved, .routingChanged, .done, .overrun, .other:
            lookUp.answers[address] = .refused
        }
        return continueLookUp(&lookUp)
    }

    /// Sends the remaining queries, or ends the lookup.
    private mutating func continueLookUp(_ lookUp: inout LookUp) -> [Effect] {
        var effects: [Effect] = []
        while lookUp.outstanding.count < Self.outstandingLimit, let address = lookUp.waiting.popLast() {
            let interface = address.zone.map { table.index(ofZone: $0) }
            if case .some(nil) = interface {
                lookUp.answers[address] = .unreachable  // there is no such interface
                continue
            }
            let sequence = nextSequence()
            lookUp.outstanding[sequence] = address
            effects.append(.send(.route(to: address, interface: interface ?? nil), sequence: sequence))
        }
        let isOver = lookUp.outstanding.isEmpty
        phase = isOver ? .following : .lookingUp(lookUp)
        return isOver ? effects + [.answered(lookUp.answers)] : effects
    }

    /// Returns whether an error is temporary and says nothing about the query.
    private static func isTemporary(_ code: Int32) -> Bool {
        [EAGAIN, EBUSY, EINTR, ENOBUFS, ENOMEM].contains(code)
    }

    /// Maps an error of a query. The kernel answers EACCES for a prohibiting route, EINVAL for a black hole, and
    /// ENETUNREACH or EHOSTUNREACH without a route. A kernel without IPv6 does not support queries for IPv6.
    private static func answer(_ code: Int32, isIPv6: Bool) -> RouteAnswer {
        code == EPERM || code == EOPNOTSUPP && !isIPv6 ? .refused : .unreachable
    }
}
