// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
public import Dispatch
public import Foundation

/// Reports whether the network, a host or an address can be reached, and every change. A target is reachable if the
/// kernel has a route to it. No packet is sent to the target: a reachable host may not answer.
///
/// ```swift
/// let manager = NetworkReachabilityManager(domain: "example.com")
/// manager.setReachabilityStatusChangeBlock { print($0.localizedDescription) }
/// manager.startMonitoring()
/// ```
///
/// All members may be used from any thread. If the kernel does not report the network, as in some sandboxes, the
/// status is `unknown`.
public final class NetworkReachabilityManager: Sendable {
    /// Called with the new status for each event.
    public typealias StatusChangeBlock = @Sendable (NetworkReachabilityStatus) -> Void

    /// The state that the lock protects.
    private struct State {
        var reachability = NetworkReachability(.unknown)
        /// The number of the current start, so that events of an earlier start are dropped; nil while nothing is
        /// monitored.
        var run: UInt64?
        var lastRun: UInt64 = 0
        var block: StatusChangeBlock?
        var callbackQueue: DispatchQueue?
        /// The number of the event that set `reachability`.
        var lastEvent: UInt64 = 0
        var streams: [UInt64: Feed] = [:]
        var lastStream: UInt64 = 0
    }

    /// One stream of `changes`, and the number of its newest event.
    private struct Feed {
        let continuation: AsyncStream<NetworkReachability>.Continuation
        var lastEvent: UInt64 = 0

        /// Adds an event, unless the stream has a newer one.
        mutating func add(_ reachability: NetworkReachability, event: UInt64) {
            guard event > lastEvent else { return }
            lastEvent = event
            continuation.yield(reachability)
        }
    }

    /// A manager for the whole network. It is not started.
    public static let shared = NetworkReachabilityManager()

    private let target: ReachabilityTarget
    private let monitor: @Sendable () -> NetworkMonitor
    private let observations = NetworkBound(Observations())
    private let state = Mutex(State(), rank: .reachability)

    /// Makes a manager for the whole network, which is reachable if there is a route to the Internet over IPv4 or
    /// IPv6. It is not started.
    public convenience init() {
        self.init(target: .any)
    }

    /// Makes a manager for a host. It is not started. The host's name is looked up when monitoring starts and when the
    /// network changes. A host without an address is not reachable.
    ///
    /// - Parameter domain: the host's name, or an address.
    public convenience init(domain: String) {
        self.init(target: ReachabilityTarget(host: domain))
    }

    /// Makes a manager for an address. 0.0.0.0 and :: mean the whole network. It is not started.
    public convenience init(address: IPAddress) {
        self.init(target: ReachabilityTarget(address: address))
    }

    package init(
        target: ReachabilityTarget, monitor: @escaping @Sendable () -> NetworkMonitor = { NetworkMonitor.shared.value }
    ) {
        self.target = target
        self.monitor = monitor
    }

    deinit {
        stopMonitoring()
        for stream in state.withLock({ $0.streams.values.map(\.continuation) }) { stream.finish() }
    }
}

// MARK: - Current state

extension NetworkReachabilityManager {
    /// Whether the target can be reached, and how; `unknown` until monitoring has started and the first event has
    /// arrived. The value is kept when monitoring stops.
    public var reachability: NetworkReachability { state.withLock { $0.reachability } }

    /// The status of `reachability`.
    public var networkReachabilityStatus: NetworkReachabilityStatus { reachability.status }

    /// Whether the target can be reached in any way.
    public var isReachable: Bool { networkReachabilityStatus.isReachable }

    /// Whether the target can be reached over a modem.
    public var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// Whether the target can be reached over anything but a modem, cables included.
    public var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// The status as text for users.
    public var localizedNetworkReachabilityStatusString: String { networkReachabilityStatus.localizedDescription }
}

// MARK: - Reporting changes

extension NetworkReachabilityManager {
    /// Posted for each event after the block was called. The object is the manager, or nil if the manager was released
    /// meanwhile. The user info contains the raw value of the status under `notificationStatusItem`. The name is
    /// AFNetworking's.
    public static let didChangeNotification = Notification.Name("com.alamofire.networking.reachability.change")

    /// The key of the status, an `Int`, in the notification's user info.
    public static let notificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"

    /// The queue on which the block is called and the notification is posted. Default nil: the library's serial queue
    /// `org.bluebonnet.callbacks`. A concurrent queue does not preserve the order of events.
    public var callbackQueue: DispatchQueue? {
        get { state.withLock { $0.callbackQueue } }
        set { state.withLock { $0.callbackQueue = newValue } }
    }

    /// Sets the block that is called for later events: the first event after each start, and each settled change of
    /// the status or of the route.
    public func setReachabilityStatusChangeBlock(_ block: StatusChangeBlock?) {
        let old = state.withLock { state in
            let old = state.block
            state.block = block
            return old
        }
        withExtendedLifetime(old) {}  // releasing a program's block may run its code
    }

    /// A new stream of later events, preceded by the known reachability if there was an event. An event that is
    /// delivered after a newer one is omitted. The stream ends with the manager. If more than 100 events wait for a
    /// consumer, the oldest are dropped.
    public var changes: AsyncStream<NetworkReachability> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkReachability.self, bufferingPolicy: .bufferingNewest(100))
        let number = state.withLock { state in
            state.lastStream += 1
            // Under the lock, so that a later event comes after the known one.
            var feed = Feed(continuation: continuation)
            if state.reachability.status != .unknown { feed.add(state.reachability, event: state.lastEvent) }
            state.streams[state.lastStream] = feed
            return state.lastStream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }
}

// MARK: - Monitoring

extension NetworkReachabilityManager {
    /// Starts monitoring. A second call restarts it. The first event is delivered as soon as the status is known.
    public func startMonitoring() {
        // The lock orders starts and stops.
        state.withLock { state in
            state.lastRun += 1
            let run = state.lastRun
            state.run = run
            NetworkThread.shared.submit { [observations, monitor, target, weak self] in
                observations.value.replace(monitor()) { monitor in
                    monitor.observe(target) { self?.receive($0, run: run) }
                }
            }
        }
    }

    /// Stops monitoring and the delivery of events. The status is kept.
    public func stopMonitoring() {
        state.withLock { state in
            state.run = nil
            NetworkThread.shared.submit { [observations] in observations.value.end() }
        }
    }

    /// Receives an event of a run. Network thread only.
    func receive(_ reachability: NetworkReachability, run: UInt64) {
        let (queue, event): (DispatchQueue?, UInt64) = state.withLock { state in
            guard state.run == run else { return (nil, 0) }
            state.reachability = reachability
            state.lastEvent += 1
            return (state.callbackQueue ?? Queues.callbacks, state.lastEvent)
        }
        queue?.async { [weak self] in
            self?.deliver(reachability, event: event, run: run)
            if self == nil { Self.post(reachability, object: nil) }
        }
    }

    /// Calls the block, posts the notification and feeds the streams, in this order. Does nothing if the manager was
    /// stopped or restarted after the event.
    private func deliver(_ reachability: NetworkReachability, event: UInt64, run: UInt64) {
        let (isCurrent, block) = state.withLock { ($0.run == run, $0.block) }
        guard isCurrent else { return }
        block?(reachability.status)
        Self.post(reachability, object: self)
        // Under the lock: two events may be delivered concurrently, on two queues or a concurrent one.
        state.withLock { state in
            for stream in state.streams.keys { state.streams[stream]?.add(reachability, event: event) }
        }
    }

    private static func post(_ reachability: NetworkReachability, object: NetworkReachabilityManager?) {
        NotificationCenter.default.post(
            name: didChangeNotification, object: object,
            userInfo: [notificationStatusItem: reachability.status.rawValue])
    }
}

/// The observation of a manager. Network thread only.
private final class Observations {
    private var current: (monitor: NetworkMonitor, observation: NetworkMonitor.Observation)?

    func replace(_ monitor: NetworkMonitor, _ observe: (NetworkMonitor) -> NetworkMonitor.Observation) {
        // First the new observation: a monitor without observations closes its socket.
        let old = current
        current = (monitor, observe(monitor))
        if let old { old.monitor.stop(old.observation) }
    }

    func end() {
        if let current { current.monitor.stop(current.observation) }
        current = nil
    }
}

@available(*, unavailable)
extension Observations: Sendable {}
