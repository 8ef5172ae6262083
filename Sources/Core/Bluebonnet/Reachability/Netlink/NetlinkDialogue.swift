// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// What is asked of the kernel and what it has answered so far: links and addresses once, then the ways to addresses
/// whenever somebody wants them, with the news in between. A value without socket or clock.
struct NetlinkDialogue {
    enum Phase: Equatable {
        /// Nothing is known, or messages were lost: `begin()` is next.
        case stale
        case listingLinks(sequence: UInt32)
        case listingAddresses(sequence: UInt32)
        /// The table is up to date as of the last message.
        case following
        case lookingUp(LookUp)
        /// The kernel does not answer such questions to this process.
        case refused
    }

    struct LookUp: Equatable {
        var waiting: [IPAddress]
        var outstanding: [UInt32: IPAddress] = [:]
        var answers: [IPAddress: RouteAnswer] = [:]
    }

    enum Effect: Equatable {
        case send(NetlinkRequest, sequence: UInt32)
        /// Something is not as it was: ask again once it is quiet.
        case changed
        /// The table is complete.
        case listed
        case answered([IPAddress: RouteAnswer])
        case refused
    }

    /// As many questions are under way at once as a small receive buffer has room for answers to.
    private static let outstandingLimit = 8

    private(set) var phase = Phase.stale
    private(set) var table = NetworkTable()
    private let port: UInt32
    private var pending = NetworkTable()
    private var isListInterrupted = false
    private var lastSequence: UInt32 = 0

    /// - Parameter port: the socket's own, by which answers are told from news.
    init(port: UInt32) { self.port = port }

    /// Lists everything afresh.
    mutating func begin() -> [Effect] {
        pending = NetworkTable()
        isListInterrupted = false
        let sequence = nextSequence()
        phase = .listingLinks(sequence: sequence)
        return [.send(.allLinks, sequence: sequence)]
    }

    /// Messages were lost, or an answer never came: what is known is worth nothing any more.
    mutating func lose() -> [Effect] {
        guard phase != .refused else { return [] }
        phase = .stale
        return [.changed]
    }

    /// The socket or the kernel refuses.
    mutating func refuse() -> [Effect] {
        phase = .refused
        return [.refused]
    }

    /// Asks for the ways to addresses; only while `following`.
    mutating func lookUp(_ addresses: Set<IPAddress>) -> [Effect] {
        precondition(phase == .following, "the kernel was asked a question while it answered another one")
        var lookUp = LookUp(waiting: addresses.sorted { $0.description < $1.description })
        return goOn(&lookUp)
    }

    /// Takes a message that came from the kernel.
    mutating func handle(_ message: NetlinkMessage) -> [Effect] {
        if message.body == .overrun { return lose() }
        guard message.port == port else { return takeNews(message.body) }
        switch phase {
        case .stale, .following, .refused: return []  // the answer to a question that was given up
        case .listingLinks(let sequence), .listingAddresses(let sequence):
            return message.sequence == sequence ? takeListed(message) : []
        case .lookingUp(var lookUp):
            guard let address = lookUp.outstanding.removeValue(forKey: message.sequence) else { return [] }
            return takeAnswer(message.body, address, &lookUp)
        }
    }
}

extension NetlinkDialogue {
    private mutating func nextSequence() -> UInt32 {
        lastSequence = lastSequence == .max ? 1 : lastSequence + 1
        return lastSequence
    }

    /// What happened meanwhile belongs into the list that is being made, too: the messages come in order.
    private mutating func takeNews(_ body: NetlinkMessage.Body) -> [Effect] {
        switch body {
        case .link, .linkRemoved, .address, .addressRemoved:
            pending.apply(body)
            table.apply(body)
            return [.changed]
        case .route, .routingChanged: return [.changed]
        case .done, .error, .overrun, .other: return []
        }
    }

    private mutating func takeListed(_ message: NetlinkMessage) -> [Effect] {
        isListInterrupted = isListInterrupted || message.isInterrupted
        switch message.body {
        case .link, .address: pending.apply(message.body)
        case .done: return endList()
        case .error(let code): return code == 0 ? [] : Self.mayPass(code) ? lose() : refuse()
        case .linkRemoved, .addressRemoved, .route, .routingChanged, .overrun, .other: break
        }
        return []
    }

    private mutating func endList() -> [Effect] {
        if isListInterrupted { return lose() }
        if case .listingLinks = phase {
            let sequence = nextSequence()
            phase = .listingAddresses(sequence: sequence)
            return [.send(.allAddresses, sequence: sequence)]
        }
        table = pending
        phase = .following
        return [.listed]
    }

    private mutating func takeAnswer(
        _ body: NetlinkMessage.Body, _ address: IPAddress, _ lookUp: inout LookUp
    ) -> [Effect] {
        switch body {
        case .route(let route): lookUp.answers[address] = .route(route)
        case .error(let code) where Self.mayPass(code): return lose()
        case .error(let code): lookUp.answers[address] = Self.answer(code, isIPv6: address.isIPv6)
        case .link, .linkRemoved, .address, .addressRemoved, .routingChanged, .done, .overrun, .other:
            lookUp.answers[address] = .refused
        }
        return goOn(&lookUp)
    }

    /// Sends what is still to be asked, or ends.
    private mutating func goOn(_ lookUp: inout LookUp) -> [Effect] {
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

    /// Whether an error says nothing about the question, only about the moment.
    private static func mayPass(_ code: Int32) -> Bool {
        [EAGAIN, EBUSY, EINTR, ENOBUFS, ENOMEM].contains(code)
    }

    /// A route that prohibits is answered with EACCES, a black hole with EINVAL, no route with ENETUNREACH or
    /// EHOSTUNREACH. A kernel without IPv6 does not know the question for it.
    private static func answer(_ code: Int32, isIPv6: Bool) -> RouteAnswer {
        code == EPERM || code == EOPNOTSUPP && !isIPv6 ? .refused : .unreachable
    }
}
