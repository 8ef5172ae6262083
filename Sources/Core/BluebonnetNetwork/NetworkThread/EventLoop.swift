// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// A client of the event loop with sockets and a deadline, for example a partition of the transport.
protocol EventLoopClient: AnyObject {
    /// A socket that the client watches is ready for `events` (EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP).
    func socketIsReady(_ descriptor: CInt, events: UInt32)
    /// The client's deadline has passed. The client has no deadline until it sets one again.
    func deadlineHasPassed()
}

/// The network thread's event loop. One epoll descriptor covers sockets, deadlines and work submitted by other
/// threads.
///
/// Network thread only. The loop does not depend on how the thread sleeps: `runTurn` is called when the epoll
/// descriptor has become readable, and returns when there is nothing left to do. It does not depend on libcurl.
package final class EventLoop {
    /// The maximum number of events that one epoll_wait returns.
    private static let eventCapacity: CInt = 256
    /// The number of rounds after which a turn gives way to the run loop's other sources.
    private static let roundLimit = 32
    private static let unseenRoundLimit = 16
    /// Sockets are polled after this many nanoseconds, even if there is other work.
    private static let unseenTimeLimit: UInt64 = 1_000_000
    /// The capacity for work items that is kept between rounds.
    private static let keptWorkCount = 4096

    /// The descriptor that becomes readable when there is something to do.
    let epoll: CInt
    /// Work that any thread has submitted for this loop.
    package let inbox: Inbox
    private let timer: CInt
    private var events = [epoll_event](repeating: epoll_event(), count: Int(eventCapacity))
    @exclusivity(unchecked) private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var armedDeadline = UInt64.max
    private let reading = StageTasks()
    private let (processing, starting, other) = (StageTasks(), StageTasks(), StageTasks())
    private let handover = StageTasks()
    private var roundEndTaskCount = 0
    /// An empty array with capacity for the work of a round.
    private var spareWork: [Inbox.Work] = []
    /// The number of the current round, which is unique.
    private(set) var roundNumber: UInt64 = 0
    /// The number of rounds since the sockets were last polled. `lastLook` is the instant of that poll.
    private var unseenRoundCount = 0
    private var lastLook: UInt64 = 0
    /// The number of running transfers. `smallResponseCount` is the number of transfers whose response is expected to
    /// be small.
    var transferCount = 0
    var smallResponseCount = 0
    private var busyPollPolicy: BusyPollPolicy
    /// The descriptors that the kernel did not accept. They are offered again at `nextRetry`.
    private var unwatched: Set<CInt> = []
    private var nextRetry = UInt64.max
    private static let retryInterval: UInt64 = 10_000_000
    /// The kernel registrations, indexed by descriptor.
    @exclusivity(unchecked) private var watches: [Watch] = []

    /// Whether turns are recorded.
    var recordsTurns = false
    var turns = TurnRecorder()

    /// The registration of a descriptor with the kernel.
    private struct Watch {
        var token: UInt64 = 0
        /// The watched events; 0 if the kernel does not watch the descriptor.
        var events: UInt32 = 0
        var isMuted = false
        /// Until this round, events of a muted socket are expected and do not mean that the peer has closed it.
        var quietUntil: UInt64 = 0
    }

    /// A client and its deadline.
    private struct Slot {
        var client: (any EventLoopClient)?
        var deadline = UInt64.max
    }

    private static let inboxToken = UInt64.max
    private static let timerToken = UInt64.max - 1

    init(inbox: Inbox, busyPollPolicy: BusyPollPolicy = .usual) {
        self.inbox = inbox
        self.busyPollPolicy = busyPollPolicy
        let (epoll, timer) = (
            Self.retried { epoll_create1(CInt(EPOLL_CLOEXEC)) },
            Self.retried { timerfd_create(CLOCK_MONOTONIC, CInt(TFD_NONBLOCK) | CInt(TFD_CLOEXEC)) }
        )
        precondition(epoll >= 0 && timer >= 0, "no descriptor is left for the network thread's event loop")
        (self.epoll, self.timer) = (epoll, timer)
        for (descriptor, token) in [(inbox.descriptor, Self.inboxToken), (timer, Self.timerToken)] {
            let isWatched = Self.retried {
                bluebonnet_epoll_control(epoll, EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue, token)
            }
            precondition(isWatched >= 0, "the kernel has no memory for the network thread's event loop")
        }
    }

    /// Returns the result of `call`, which is retried for up to one second while it fails. Descriptors and kernel
    /// memory may be short when the process begins to use the network, and there is no network thread without them.
    static func retried(_ call: () -> CInt) -> CInt {
        var result = call()
        for _ in 0..<100 where result < 0 {
            usleep(10_000)
            result = call()
        }
        return result
    }

    /// The process's own loop lives as long as the process. Other loops are made in tests.
    deinit {
        close(epoll)
        close(timer)
    }

    /// Runs `task` once at the end of this round: after all events and all work that came with them, or at the end of
    /// the events. If the stage is running or over, the task runs in the next round.
    package func atEndOfRound(_ stage: RoundStage, _ task: any RoundEndTask) {
        switch stage {
        case .reading: reading.append(task)
        case .processing: processing.append(task)
        case .starting: starting.append(task)
        case .other: other.append(task)
        case .handover: handover.append(task)
        }
        roundEndTaskCount += 1
    }

    /// Runs a closure once at the end of this round, in the stage `other`.
    ///
    /// - Parameter file: the source that the record of a long turn names.
    package func atEndOfRound(_ action: @escaping () -> Void, from file: StaticString = #fileID) {
        atEndOfRound(.other, RoundEndAction(action, from: file))
    }
}

@available(*, unavailable)
extension EventLoop: Sendable {}

// MARK: - Clients

extension EventLoop {
    /// Adds a client. The slot identifies the client on this loop until `remove`.
    func add(_ client: any EventLoopClient) -> Int {
        if let slot = freeSlots.popLast() {
            slots[slot] = Slot(client: client)
            return slot
        }
        slots.append(Slot(client: client))
        return slots.count - 1
    }

    /// Removes a client. Its sockets are no longer watched.
    func remove(slot: Int) {
        slots[slot] = Slot(client: nil)
        freeSlots.append(slot)
    }

    /// Watches a socket for `events`, or changes the watched events.
    func watch(_ descriptor: CInt, events: UInt32, isNew: Bool, slot: Int) {
        let token = UInt64(slot) << 32 | UInt64(UInt32(bitPattern: descriptor))
        let known = self[descriptor]
        self[descriptor] = Watch(token: token, events: events)
        if known.isMuted, known.token == token, known.events == events { return }
        let isNew = isNew && !known.isMuted
        let operation = isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        if bluebonnet_epoll_control(epoll, operation, descriptor, events, token) != 0 {
            // The kernel forgets a descriptor when it is closed. libcurl may reuse the number without reporting it.
            let other = isNew ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
            guard bluebonnet_epoll_control(epoll, other, descriptor, events, token) != 0 else { return }
            unwatched.insert(descriptor)
        }
    }

    /// Watches the sockets for which the kernel had no memory, or no watch left (epoll(7), `max_user_watches`).
    private func watchTheRest() {
        nextRetry = .max
        let descriptors = unwatched
        unwatched = []
        for descriptor in descriptors where self[descriptor].events != 0 {
            let watch = self[descriptor]
            let results = [EPOLL_CTL_ADD, EPOLL_CTL_MOD].map {
                bluebonnet_epoll_control(epoll, $0, descriptor, watch.events, watch.token)
            }
            if !results.contains(0) { unwatched.insert(descriptor) }
        }
    }

    /// Returns whether the kernel has rejected sockets and it is time to try again.
    private func retryIsDue() -> Bool {
        guard !unwatched.isEmpty else { return false }
        let now = MonotonicClock.now()
        if nextRetry == .max { nextRetry = now + Self.retryInterval }
        return nextRetry <= now
    }

    /// Stops watching a socket.
    func unwatch(_ descriptor: CInt) {
        self[descriptor] = Watch()
        _ = bluebonnet_epoll_control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Mutes a socket: its events are ignored, while the kernel keeps watching it. The next request on a kept
    /// connection needs the same registration, so muting saves two system calls. Call `forget` before closing a muted
    /// socket.
    ///
    /// - Parameter isBrief: whether the client will watch the socket again by the next round, so that events before
    ///   then are expected.
    func mute(_ descriptor: CInt, isBrief: Bool) {
        var watch = self[descriptor]
        watch.isMuted = true
        watch.quietUntil = isBrief ? roundNumber + 1 : 0
        self[descriptor] = watch
    }

    /// Forgets a descriptor that is new or about to be closed. The kernel's registration is removed: a child process
    /// may have the file open too, and the kernel would then watch it forever.
    func forget(_ descriptor: CInt) {
        if self[descriptor].events != 0 { unwatch(descriptor) }
        self[descriptor] = Watch()
    }

    /// Returns whether the client of a socket receives its events.
    func isWatching(_ descriptor: CInt) -> Bool { self[descriptor].events != 0 && !self[descriptor].isMuted }

    /// Returns whether a socket is watched for incoming bytes.
    func isReading(_ descriptor: CInt) -> Bool { self[descriptor].events & EPOLLIN.rawValue != 0 }

    private subscript(descriptor: CInt) -> Watch {
        get { descriptor >= 0 && descriptor < watches.count ? watches[Int(descriptor)] : Watch() }
        set {
            guard descriptor >= 0 else { return }
            while watches.count <= Int(descriptor) { watches.append(Watch()) }
            watches[Int(descriptor)] = newValue
        }
    }

    /// Sets a client's only deadline, in nanoseconds of the monotonic clock; `UInt64.max` without a deadline.
    func setDeadline(_ deadline: UInt64, slot: Int) {
        slots[slot].deadline = deadline
    }
}

// MARK: - Turns

extension EventLoop {
    /// Whether work other than the current client's waits for the end of the round.
    var hasOthersWaiting: Bool { smallResponseCount > 0 || roundEndTaskCount > 0 || inbox.hasWork }

    /// Processes all work, in bounded rounds. The run loop watches the epoll descriptor edge-triggered, so a turn ends
    /// only when epoll has no events left, or after the eventfd was made readable again.
    func runTurn() {
        let start = MonotonicClock.now()
        busyPollPolicy.turnBegins(now: start)
        if recordsTurns { turns.turnBegins(now: start) }
        runRounds()
        let end = MonotonicClock.now()
        busyPollPolicy.turnEnds(now: end)
        if recordsTurns { turns.turnEnds(now: end) }
    }

    private func runRounds() {
        for _ in 0..<Self.roundLimit where !runRound() && !busyPoll() && inbox.sleep() { return armTimer() }
        armTimer()
        inbox.wake()
    }

    /// Records that a step of the turn begins. The record of a long turn may name the step.
    @inline(__always)
    func stepBegins(_ stage: StaticString, _ source: @autoclosure () -> TurnRecorder.Source) {
        if recordsTurns { turns.stepBegins(stage, source(), now: MonotonicClock.now()) }
    }

    /// Polls for a short time instead of sleeping, if the policy permits. Returns whether there is work for the next
    /// round.
    private func busyPoll() -> Bool {
        let begins = busyPollPolicy.begin(
            transferCount: transferCount, smallResponseCount: smallResponseCount, busyCount: inbox.expectedCount)
        guard begins, Tuning.current.contains(.busyPolling) else { return false }
        let end = MonotonicClock.now() + busyPollPolicy.time
        if recordsTurns { turns.turnEnds(now: MonotonicClock.now()) }  // polling delays no transfer
        defer { if recordsTurns { turns.turnBegins(now: MonotonicClock.now()) } }
        var hasCome = false
        repeat {
            hasCome = inbox.hasWork || epoll_wait(epoll, &events, 1, 0) > 0
        } while !hasCome && MonotonicClock.now() < end
        busyPollPolicy.ended(wasOfUse: hasCome)
        return hasCome
    }

    /// Runs one round. Work that a round leaves to the next one is done without polling the sockets, for a limited
    /// number of rounds and a limited time.
    private func runRound() -> Bool {
        roundNumber += 1
        if !unwatched.isEmpty, retryIsDue() { watchTheRest() }
        let count = mustLook() ? epoll_wait(epoll, &events, Self.eventCapacity, 0) : 0
        for index in 0..<max(0, Int(count)) { dispatch(events[index]) }
        run(reading, "reading")
        let workCount = runWork()
        let taskCount = roundEndTaskCount
        runRoundEndTasks()
        let dueCount = runDueDeadlines()
        run(handover, "handover")
        return taskCount > 0 || count > 0 || workCount > 0 || dueCount > 0
    }

    private func runWork() -> Int {
        var items: [Inbox.Work] = []
        swap(&items, &spareWork)
        inbox.drain(into: &items)
        let count = items.count
        items.empty(keepingRoomFor: Self.keptWorkCount) { work in
            stepBegins("work", .type(Inbox.self))
            work()
        }
        spareWork = items
        return count
    }

    private func mustLook() -> Bool {
        let now = MonotonicClock.now()
        unseenRoundCount += 1
        guard
            roundEndTaskCount == 0 || unseenRoundCount > Self.unseenRoundLimit || now - lastLook > Self.unseenTimeLimit
        else { return false }
        (unseenRoundCount, lastLook) = (0, now)
        return true
    }

    private func runRoundEndTasks() {
        guard roundEndTaskCount > 0 else { return }
        run(processing, "processing")
        run(starting, "starting")
        run(other, "other")
    }

    private func run(_ stage: StageTasks, _ name: StaticString) {
        roundEndTaskCount -= stage.count
        guard recordsTurns else { return stage.run() }
        stage.run { task in
            stepBegins(name, (task as? RoundEndAction).map { .file($0.file) } ?? .type(type(of: task)))
        }
    }

    private func dispatch(_ event: epoll_event) {
        let token = withUnsafePointer(to: event) { bluebonnet_epoll_data($0) }
        switch token {
        case Self.inboxToken: inbox.clearWakeup()
        case Self.timerToken: clearTimer()
        default:
            let descriptor = CInt(truncatingIfNeeded: token & 0xFFFF_FFFF)
            let watch = self[descriptor]
            if watch.isMuted {
                if roundNumber > watch.quietUntil { unwatch(descriptor) }  // most likely closed by its peer
                return
            }
            guard let client = slots[Int(token >> 32)].client else { return }
            stepBegins("sockets", .type(type(of: client)))
            client.socketIsReady(descriptor, events: event.events)
        }
    }

    private func runDueDeadlines() -> Int {
        var count = 0
        var now: UInt64?
        for slot in slots.indices where slots[slot].deadline != .max {
            let instant = now ?? MonotonicClock.now()
            now = instant
            guard slots[slot].deadline <= instant else { continue }
            slots[slot].deadline = .max
            count += 1
            guard let client = slots[slot].client else { continue }
            stepBegins("deadlines", .type(type(of: client)))
            client.deadlineHasPassed()
        }
        return count
    }

    /// Sets the timerfd for the earliest deadline. An earlier setting is kept: it costs one unnecessary wake-up,
    /// whereas moving it would cost a system call for each turn.
    private func armTimer() {
        if !unwatched.isEmpty { _ = retryIsDue() }
        let deadline = slots.lazy.map(\.deadline).min() ?? .max
        let earliest = max(1, min(deadline, nextRetry))  // 0 would disarm the timerfd
        guard earliest < armedDeadline else { return }
        armedDeadline = earliest
        bluebonnet_arm_timer(timer, earliest)
    }

    private func clearTimer() {
        var expirations: UInt64 = 0
        _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
        armedDeadline = .max
    }
}
