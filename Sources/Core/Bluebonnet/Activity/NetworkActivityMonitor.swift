// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// Reports whether the process's operations, including the operations of session tasks, use the network: AFNetworking's
/// activity indicator for programs without their own screen.
///
/// ```swift
/// for await isActive in NetworkActivityMonitor.shared.states { print(isActive ? "busy" : "idle") }
/// ```
///
/// Activity is reported when work has run for the activation delay, and its end is reported when no work has run for
/// the completion delay, so short requests and short gaps are not visible. A paused operation does not count. All
/// members may be used from any thread.
public final class NetworkActivityMonitor: Sendable {
    /// A monitor with the default delays.
    public static let shared = NetworkActivityMonitor()

    private struct State: Sendable {
        var activity: NetworkActivity
        /// The state that the streams received last.
        var lastReportedState = false
        var streams: [Int: AsyncStream<Bool>.Continuation] = [:]
        var lastStream = 0
        /// The operations whose starts the monitor has seen.
        var operations: Set<ObjectIdentifier> = []
    }

    private let state: Mutex<State>
    private let observers: Observers
    private let queue = DispatchQueue(label: "org.bluebonnet.activity")
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a monitor, which counts work that begins from now on.
    ///
    /// - Parameters:
    ///   - activationDelay: how long work has to run before activity is reported. Default 1 s.
    ///   - completionDelay: how long no work has to run before the end is reported. Default 0.17 s.
    public convenience init(
        activationDelay: Duration = .seconds(1), completionDelay: Duration = .milliseconds(170)
    ) {
        self.init(NetworkActivity(activationDelay: activationDelay, completionDelay: completionDelay)) { .now }
    }

    init(_ activity: NetworkActivity, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        state = Mutex(State(activity: activity))
        observers = Observers()
        observers.observe(RequestOperation.didStartNotification) { [weak self] operation in
            self?.recordStart(of: operation)
        }
        observers.observe(RequestOperation.didFinishNotification) { [weak self] operation in self?.forget(operation) }
    }

    deinit { for stream in state.withLock({ Array($0.streams.values) }) { stream.finish() } }

    /// Whether there is activity now, with the delays applied.
    public var isActive: Bool { state.withLock { $0.activity.isActive } }

    /// The current state, and each change from now on. A change that is over before it is reported is omitted. The
    /// stream ends with the monitor.
    public var states: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        queue.async { [self] in add(continuation) }
        return stream
    }

    /// Counts the program's own network work. Each call must be followed by `decrementActivityCount()`.
    public func incrementActivityCount() { handle(.began) }

    /// Ends the work that `incrementActivityCount()` counted.
    public func decrementActivityCount() { handle(.ended) }

    private func recordStart(of operation: ObjectIdentifier) {
        if state.withLock({ $0.operations.insert(operation).inserted }) { handle(.began) }
    }

    /// Ignores the end of an operation whose start the monitor has not counted.
    private func forget(_ operation: ObjectIdentifier) {
        if state.withLock({ $0.operations.remove(operation) }) != nil { handle(.ended) }
    }

    func handle(_ event: NetworkActivity.Event) { change { $0.handle(event, now: $1) } }

    /// Applies a change, and reports changes of `isActive` on the queue, in order.
    private func change(_ change: (inout NetworkActivity, _ now: ContinuousClock.Instant) -> Void) {
        let now = now()
        let (isChanged, timer) = state.withLock { state in
            change(&state.activity, now)
            return (state.activity.isActive != state.lastReportedState, state.activity.claimTimer())
        }
        if isChanged { queue.async { [weak self] in self?.tell() } }
        guard let timer else { return }
        queue.asyncAfter(deadline: .now() + (timer - now) / .seconds(1)) { [weak self] in
            self?.change { $0.timerPassed(timer, now: $1) }
        }
    }

    private func tell() {
        let (isActive, streams) = state.withLock { state -> (Bool, [AsyncStream<Bool>.Continuation]) in
            let isActive = state.activity.isActive
            defer { state.lastReportedState = isActive }
            return (isActive, isActive == state.lastReportedState ? [] : Array(state.streams.values))
        }
        for stream in streams { stream.yield(isActive) }
    }

    private func add(_ stream: AsyncStream<Bool>.Continuation) {
        let (number, isActive) = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = stream
            return (state.lastStream, state.lastReportedState)
        }
        stream.onTermination = { [weak self] _ in self?.forget(number) }
        stream.yield(isActive)
    }

    private func forget(_ number: Int) {
        let stream = state.withLock { $0.streams.removeValue(forKey: number) }
        withExtendedLifetime(stream) {}
    }
}

/// The notification observers of one monitor, which are removed with it.
private final class Observers: Sendable {
    private let tokens = Mutex<[Token]>([])

    private struct Token: Sendable {
        nonisolated(unsafe) let value: any NSObjectProtocol  // safe: only given back to the notification center
    }

    func observe(_ name: Notification.Name, _ action: @escaping @Sendable (ObjectIdentifier) -> Void) {
        let token = Token(
            value: NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                if let operation = notification.object as? RequestOperation { action(ObjectIdentifier(operation)) }
            })
        tokens.withLock { $0.append(token) }
    }

    deinit {
        for token in tokens.withLock({ $0 }) { NotificationCenter.default.removeObserver(token.value) }
    }
}
