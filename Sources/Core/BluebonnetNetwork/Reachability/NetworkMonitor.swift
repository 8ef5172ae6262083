// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux

/// Observes the network through one routing socket on the event loop, which is open while there are observers. Network
/// thread only. The monitor does not depend on managers or operations.
///
/// Changes are evaluated after a quiet period, or after the longest permitted burst, so that a burst causes one event.
package final class NetworkMonitor: EventLoopClient {
    /// The settings of a monitor.
    struct Settings: Sendable {
        var groups: NetlinkSocket.Groups = [.links, .addresses, .routes, .rules]
        /// The size of the socket's receive buffer; 0 is the system's default.
        var receiveBufferByteCount = 0
        /// The time without a change after which the network counts as quiet, in nanoseconds.
        var quietTime: UInt64 = 30_000_000
        /// The time after which a continuing burst is evaluated, in nanoseconds.
        var longestBurst: UInt64 = 120_000_000
        /// The time after which a missing answer counts as lost, in nanoseconds.
        var answerTime: UInt64 = 1_000_000_000
        /// The time until the next attempt after a shortage of descriptors or memory, in nanoseconds.
        var retryTime: UInt64 = 1_000_000_000
        var resolve: @Sendable (String, @escaping NameResolver.Completion) -> Void = {
            NameResolver.shared.resolve($0, completion: $1)
        }
    }

    package typealias Observation = UInt64

    /// An observer of a target, with the reachability that was last reported to it.
    private struct Observer {
        let target: ReachabilityTarget
        let handler: (NetworkReachability) -> Void
        var last: NetworkReachability?
    }

    /// A weak reference to the monitor for the threads that look names up.
    private final class Reference {
        weak var monitor: NetworkMonitor?
    }

    /// The monitor of the process.
    package static let shared = NetworkBound(NetworkMonitor(loop: NetworkThread.shared.eventLoop))

    /// Called with the local addresses that were removed, once the change has settled.
    var onAddressesLost: ((Set<IPAddress>) -> Void)?

    private let reference = NetworkBound(Reference())
    private let loop: EventLoop
    private let settings: Settings
    private var slot = -1
    private var socket: NetlinkSocket?
    private var dialogue = NetlinkDialogue(port: 0)
    private var kinds = InterfaceKinds()
    private var observers: [Observation: Observer] = [:]
    private var lastObservation: Observation = 0
    private var isWatchingAddresses = false
    private var domains = NameLookupTable()
    private var settledAddresses: Set<IPAddress>?
    private var burstBegan: UInt64?
    private var settleDeadline = UInt64.max
    private var answerDeadline = UInt64.max
    /// Whether something changed while the kernel was being queried, so that its answers may be outdated.
    private var mustAskAgain = false
    /// The number of datagrams from senders other than the kernel. `listCount` is the number of lists requested. Both
    /// count from the beginning, for tests and bug reports.
    private(set) var foreignDatagramCount = 0
    private(set) var listCount = 0

    init(loop: EventLoop, settings: Settings = Settings()) {
        self.loop = loop
        self.settings = settings
        slot = loop.add(self)
        reference.value.monitor = self
    }

    /// The port of the routing socket; nil without a socket.
    var port: UInt32? { socket?.port }
}

@available(*, unavailable)
extension NetworkMonitor: Sendable {}

// MARK: - Observers

extension NetworkMonitor {
    /// Observes how a target can be reached. Calls `handler` on the network thread once the reachability is known, and
    /// then whenever it changes.
    package func observe(_ target: ReachabilityTarget, _ handler: @escaping (NetworkReachability) -> Void)
        -> Observation
    {
        lastObservation += 1
        observers[lastObservation] = Observer(target: target, handler: handler)
        if case .domain(let name) = target, domains.add(name) { lookUp(name) }
        if socket == nil { open() } else { ask() }
        return lastObservation
    }

    package func stop(_ observation: Observation) {
        guard let observer = observers.removeValue(forKey: observation) else { return }
        if case .domain(let name) = observer.target { domains.remove(name) }
        closeIfUnused()
    }

    /// Starts or stops observing the local addresses.
    func watchAddresses(_ isWatching: Bool) {
        isWatchingAddresses = isWatching
        if isWatching && socket == nil { open() }
        closeIfUnused()
    }

    private var isUnused: Bool { observers.isEmpty && !isWatchingAddresses }

    private func closeIfUnused() {
        guard isUnused else { return }
        close()
        settledAddresses = nil
    }

    private func lookUp(_ name: String) {
        settings.resolve(name) { [reference] addresses in
            NetworkThread.shared.submit { reference.value.monitor?.lookUpEnded(name, addresses) }
        }
    }

    private func lookUpEnded(_ name: String, _ addresses: [IPAddress]) {
        if domains.lookUpEnded(name, addresses) { lookUp(name) }
        guard !isUnused else { return }
        if dialogue.phase == .refused { publishUnknown() } else { ask() }
    }
}

// MARK: - The socket

extension NetworkMonitor {
    private func open() {
        do throws(NetlinkRefusal) {
            let socket = try NetlinkSocket(
                groups: settings.groups, receiveBufferByteCount: settings.receiveBufferByteCount)
            self.socket = socket
            dialogue = NetlinkDialogue(port: socket.port)
            loop.watch(socket.descriptor, events: EPOLLIN.rawValue, isNew: true, slot: slot)
            begin()
        } catch {
            if error.isTemporary { setSettleDeadline(MonotonicClock.now() + settings.retryTime) }
            perform(dialogue.refuse())
        }
    }

    private func close() {
        if let socket { loop.unwatch(socket.descriptor) }
        socket = nil
        burstBegan = nil
        mustAskAgain = false
        answerDeadline = .max
        setSettleDeadline(.max)
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {
        // Bounded, so that other sockets get their turn however many messages arrive.
        for _ in 0..<64 {
            guard let socket, socket.descriptor == descriptor else { return }
            switch socket.receive() {
            case .nothing: return
            case .foreign: foreignDatagramCount += 1
            case .lost: perform(dialogue.invalidate())
            case .failed: return perform(dialogue.refuse())
            case .datagram(let bytes):
                let messages = NetlinkParser.messages(in: bytes)
                for message in messages { perform(dialogue.handle(message)) }
            }
        }
    }

    func deadlineHasPassed() {
        let now = MonotonicClock.now()
        if answerDeadline <= now {
            answerDeadline = .max
            perform(dialogue.invalidate())
        }
        if settleDeadline <= now { settle() }
        updateDeadline()
    }

    private func setSettleDeadline(_ deadline: UInt64) {
        settleDeadline = deadline
        updateDeadline()
    }

    private func updateDeadline() {
        loop.setDeadline(min(settleDeadline, answerDeadline), slot: slot)
    }
}

// MARK: - Queries and answers

extension NetworkMonitor {
    private func perform(_ effects: [NetlinkDialogue.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let request, let sequence): send(request, sequence)
            case .changed: recordChange()
            case .listed: ask()
            case .answered(let answers): receiveAnswers(answers)
            case .refused:
                publishUnknown()
                if let socket { loop.unwatch(socket.descriptor) }
                socket = nil
                answerDeadline = .max
            }
        }
    }

    private func send(_ request: NetlinkRequest, _ sequence: UInt32) {
        guard let socket else { return }
        answerDeadline = MonotonicClock.now() + settings.answerTime
        do throws(NetlinkRefusal) {
            try socket.send(request.message(sequence: sequence))
        } catch {
            perform(error.isTemporary ? dialogue.invalidate() : dialogue.refuse())
        }
    }

    private func recordChange() {
        let now = MonotonicClock.now()
        let began = burstBegan ?? now
        burstBegan = began
        setSettleDeadline(min(now + settings.quietTime, began + settings.longestBurst))
    }

    /// Evaluates the changes after a quiet period, or after the longest burst.
    private func settle() {
        settleDeadline = .max
        guard !isUnused else { return }
        guard socket != nil else { return open() }
        if burstBegan != nil {
            for name in domains.networkChanged() { lookUp(name) }
        }
        burstBegan = nil
        if dialogue.phase == .stale { begin() } else { ask() }
    }

    private func begin() {
        listCount += 1
        perform(dialogue.begin())
    }

    /// Queries the routes to all addresses of the observed targets, now or after the pending answers.
    private func ask() {
        switch dialogue.phase {
        case .following: perform(dialogue.lookUp(Set(observers.values.flatMap { addresses(of: $0.target) ?? [] })))
        case .lookingUp: mustAskAgain = true
        case .stale, .listingLinks, .listingAddresses, .refused: return  // queried once the lists are complete
        }
    }

    private func addresses(of target: ReachabilityTarget) -> [IPAddress]? {
        if case .domain(let name) = target { return domains.addresses(of: name) }
        return target.knownAddresses
    }

    private func receiveAnswers(_ answers: [IPAddress: RouteAnswer]) {
        answerDeadline = .max
        updateDeadline()
        if mustAskAgain {
            mustAskAgain = false
            return ask()
        }
        publishAddresses()
        let decision = ReachabilityDecision(links: dialogue.table.links) { self.kinds.kind(of: $0) }
        for (observation, observer) in observers {
            guard let addresses = addresses(of: observer.target) else { continue }
            let known = addresses.compactMap { address in answers[address].map { (address, $0) } }
            guard known.count == addresses.count else { continue }
            publish(decision.reachability(known), to: observation)
        }
    }

    private func publish(_ reachability: NetworkReachability, to observation: Observation) {
        guard observers[observation]?.last != reachability else { return }
        observers[observation]?.last = reachability
        let handler = observers[observation]?.handler  // may stop observing
        handler?(reachability)
    }

    private func publishUnknown() {
        for observation in observers.keys { publish(NetworkReachability(.unknown), to: observation) }
    }

    private func publishAddresses() {
        let addresses = dialogue.table.localAddresses
        let lost = settledAddresses?.subtracting(addresses) ?? []
        settledAddresses = addresses
        if !lost.isEmpty { onAddressesLost?(lost) }
    }
}
