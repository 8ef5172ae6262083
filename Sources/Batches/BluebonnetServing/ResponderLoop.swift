// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The loop of a responder's thread: accepts connections, receives requests, sends responses and events. Confined to
/// that thread.
struct ResponderLoop {
    typealias Instant = ContinuousClock.Instant

    private struct Client {
        var connection: ServedConnection
        /// The events that epoll watches.
        var watched: UInt32
    }

    private static let eventCapacity: Int32 = 64
    /// How often time limits are checked, in milliseconds.
    private static let tick: Int32 = 250
    /// How long no connection is accepted after the process had no free descriptor.
    private static let acceptPause = Duration.milliseconds(250)

    private let epoll, listener: Int32
    private let inbox: ResponderInbox
    private let rule: ResponderRule
    private var clients: [Int32: Client] = [:]
    private var topics: Set<String> = []
    private var acceptsAgain: Instant?
    private var buffer = [UInt8](repeating: 0, count: 4_096)

    init(epoll: Int32, listener: Int32, inbox: ResponderInbox, _ rule: ResponderRule) {
        (self.epoll, self.listener, self.inbox, self.rule) = (epoll, listener, inbox, rule)
    }

    /// Serves until the responder is stopped.
    mutating func run() {
        watch(listener, UInt32(EPOLLIN.rawValue), isNew: true)
        watch(inbox.descriptor, UInt32(EPOLLIN.rawValue), isNew: true)
        var events = [epoll_event](repeating: epoll_event(), count: Int(Self.eventCapacity))
        while true {
            let hasTimes = !clients.isEmpty || acceptsAgain != nil
            let count = epoll_wait(epoll, &events, Self.eventCapacity, hasTimes ? Self.tick : -1)
            for event in events.prefix(Int(max(0, count))) {
                let descriptor = withUnsafePointer(to: event) { Int32(truncatingIfNeeded: bluebonnet_epoll_data($0)) }
                switch descriptor {
                case listener: accept()
                case inbox.descriptor: guard readMail() else { return end() }
                default: serve(descriptor, event.events)
                }
            }
            enforceTimes()
            announceTopics()
        }
    }

    private func end() {
        for descriptor in clients.keys { close(descriptor) }
        close(listener)
        close(epoll)
    }

    private func watch(_ descriptor: Int32, _ events: UInt32, isNew: Bool = false) {
        _ = bluebonnet_epoll_control(
            epoll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, events, UInt64(UInt32(bitPattern: descriptor)))
    }

    // MARK: Connections

    private mutating func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                    // The listener stays readable: without a pause, the loop would spin.
                    acceptsAgain = .now + Self.acceptPause
                    watch(listener, 0)
                }
                return
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            if clients.count >= rule.limits.connectionCount, !evict() {
                close(descriptor)
                continue
            }
            let events = UInt32(EPOLLIN.rawValue) | UInt32(EPOLLRDHUP.rawValue)
            clients[descriptor] = Client(connection: ServedConnection(rule.limits, now: .now), watched: events)
            watch(descriptor, events, isNew: true)
        }
    }

    /// Closes the connection that has been without a complete request for the longest time. Returns false if all
    /// connections are being answered.
    private mutating func evict() -> Bool {
        let idle = clients.filter { $0.value.connection.isReading || $0.value.connection.isLingering }
        guard let oldest = idle.min(by: { $0.value.connection.idleSince < $1.value.connection.idleSince }) else {
            return false
        }
        drop(oldest.key)
        return true
    }

    private mutating func drop(_ descriptor: Int32) {
        clients[descriptor] = nil
        close(descriptor)
    }

    private mutating func enforceTimes() {
        let now = Instant.now
        for (descriptor, client) in clients where client.connection.deadline.map({ $0 <= now }) ?? false {
            drop(descriptor)
        }
        if let acceptsAgain, acceptsAgain <= now {
            self.acceptsAgain = nil
            watch(listener, UInt32(EPOLLIN.rawValue))
        }
    }

    // MARK: Serving

    private mutating func serve(_ descriptor: Int32, _ events: UInt32) {
        guard var client = clients.removeValue(forKey: descriptor) else { return }  // dropped in this round
        let failures = UInt32(EPOLLERR.rawValue) | UInt32(EPOLLHUP.rawValue)
        var isOpen = events & failures == 0
        let endsInput = events & UInt32(EPOLLRDHUP.rawValue) != 0
        // A client that waits for events sends nothing. Its end is the end of the connection.
        if endsInput, client.connection.topic != nil { isOpen = false }
        let takesBytes = client.connection.isReading || client.connection.isLingering
        if isOpen, takesBytes, events & UInt32(EPOLLIN.rawValue) != 0 { isOpen = receive(descriptor, &client) }
        finish(descriptor, client, isOpen: isOpen)
    }

    /// Answers and sends as much as possible, and keeps the client if it is not over.
    private mutating func finish(_ descriptor: Int32, _ client: Client, isOpen: Bool) {
        var (client, isOpen) = (client, isOpen)
        while isOpen {
            isOpen = send(descriptor, &client)
            guard isOpen, !client.connection.isOver, let request = client.connection.nextRequest(now: .now) else {
                break
            }
            answer(request, &client)
        }
        if isOpen, !client.connection.pending.isEmpty { isOpen = send(descriptor, &client) }
        guard isOpen else {
            close(descriptor)
            return
        }
        if client.connection.isOver {
            shutdown(descriptor, Int32(SHUT_WR))
            client.connection.linger(now: .now)
        }
        var events = UInt32(EPOLLRDHUP.rawValue)
        if client.connection.isReading || client.connection.isLingering { events |= UInt32(EPOLLIN.rawValue) }
        if !client.connection.pending.isEmpty { events = UInt32(EPOLLOUT.rawValue) }
        if events != client.watched { watch(descriptor, events) }
        client.watched = events
        clients[descriptor] = client
    }

    private mutating func receive(_ descriptor: Int32, _ client: inout Client) -> Bool {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        if !client.connection.isLingering { client.connection.receive(buffer[..<count], now: .now) }
        return true
    }

    private func send(_ descriptor: Int32, _ client: inout Client) -> Bool {
        while !client.connection.pending.isEmpty {
            let count = client.connection.pending.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            client.connection.sent(count, now: .now)
        }
        return true
    }

    private func answer(_ request: ServedRequest, _ client: inout Client) {
        if let refusal = ServedResponse(rule.access.verdict(on: request)) {
            return client.connection.answer(request, refusal, now: .now)
        }
        let reply = rule.reply(request)
        let streams = clients.values.count { $0.connection.topic != nil }
        if case .response = reply {
        } else if streams >= rule.limits.streamCount {
            let full = ServedResponse(status: 503, text: "too many viewers", fields: ["Retry-After": "10"])
            return client.connection.answer(request, full, now: .now)
        }
        client.connection.answer(request, following: reply, now: .now)
    }

    // MARK: Publications

    /// Returns false if the responder was stopped.
    private mutating func readMail() -> Bool {
        let mail = inbox.removeAll()
        guard !mail.isStopped else { return false }
        guard !mail.publications.isEmpty else { return true }
        for (descriptor, client) in clients {
            guard let topic = client.connection.topic, let data = mail.publications[topic] else { continue }
            var client = client
            clients[descriptor] = nil
            client.connection.publish(data, now: .now)
            finish(descriptor, client, isOpen: true)
        }
        return true
    }

    /// Reports the topics that clients wait for, if they have changed.
    private mutating func announceTopics() {
        let current = Set(clients.values.compactMap(\.connection.topic))
        guard current != topics else { return }
        topics = current
        rule.onTopics(current)
    }
}
