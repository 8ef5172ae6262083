// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
public import Foundation
internal import Synchronization

/// Reports whether the network, a host or an address can be reached, and every change. A target is reachable when the
/// kernel has a route to it. No packet is sent: a reachable host may not answer.
///
/// ```swift
/// let manager = NetworkReachabilityManager(domain: "example.com")
/// manager.setReachabilityStatusChangeBlock { print($0.localizedDescription) }
/// manager.startMonitoring()
/// ```
///
/// All members may be used from any thread. Where the kernel does not report the network (in some sandboxes), the
/// status is `unknown`.
public final class NetworkReachabilityManager: Sendable {
    /// Called with each change.
    public typealias StatusChangeBlock = @Sendable (NetworkReachabilityStatus) -> Void

    private struct State {
        var reachability = NetworkReachability(.unknown)
        /// Counts starts: what an earlier one brings is not told any more. Nil while nothing is followed.
        var run: UInt64?
        var lastRun: UInt64 = 0
        var block: StatusChangeBlock?
        var callbackQueue: DispatchQueue?
        var streams: [UInt64: AsyncStream<NetworkReachability>.Continuation] = [:]
        var lastStream: UInt64 = 0
    }

    /// A manager for the whole network, which is not started.
    public static let shared = NetworkReachabilityManager()

    private let target: ReachabilityTarget
    private let monitor: @Sendable () -> NetworkMonitor
    private let observations = NetworkBound(Observations())
    private let state = Mutex(State(), rank: .reachability)

    /// Makes a manager for the whole network, which is reachable when there is a route to the Internet over IPv4 or
    /// IPv6. It is not started.
    public convenience init() {
        self.init(target: .any)
    }

    /// Makes a manager for a host. It is not started. The host's name is looked up when monitoring starts and when the
    /// network changes; a host without an address is not reachable.
    ///
    /// - Parameter domain: a host's name, or an address.
    public convenience init(domain: String) {
        self.init(target: ReachabilityTarget(host: domain))
    }

    /// Makes a manager for an address; 0.0.0.0 and :: mean the whole network. It is not started.
    public convenience init(address: IPAddress) {
        self.init(target: ReachabilityTarget(address: address))
    }

    init(
        target: ReachabilityTarget, monitor: @escaping @Sendable () -> NetworkMonitor = { NetworkMonitor.shared.value }
    ) {
        self.target = target
        self.monitor = monitor
    }

    deinit {
        stopMonitoring()
        for stream in state.withLock({ $0.streams.values.map { $0 } }) { stream.finish() }
    }
}

// MARK: - What is known

extension NetworkReachabilityManager {
    /// Whether the target can be reached, and how; `unknown` until monitoring was started and the first event has come.
    /// Kept when monitoring stops.
    public var reachability: NetworkReachability { state.withLock { $0.reachability } }

    /// The status of `reachability`.
    public var networkReachabilityStatus: NetworkReachabilityStatus { reachability.status }

    /// Whether the target can be reached in any way.
    public var isReachable: Bool { networkReachabilityStatus.isReachable }

    /// Whether the target can be reached over a modem.
    public var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

    /// Whether the target can be reached over anything but a modem, cables included.
    public var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

    /// The status for people.
    public var localizedNetworkReachabilityStatusString: String { networkReachabilityStatus.localizedDescription }
}

// MARK: - Telling

extension NetworkReachabilityManager {
    /// Posted after the block was called, for each event; the object is the manager, the user info has the status's
    /// number under `notificationStatusItem`. The name is AFNetworking's.
    public static let didChangeNotification = Notification.Name("com.alamofire.networking.reachability.change")

    /// The key of the status, an `Int`, in the notification's user info.
    public static let notificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"

    /// The queue on which the block is called and the notification posted. Default nil: the library's serial queue
    /// `org.bluebonnet.callbacks`. A concurrent queue does not keep the order of events.
    public var callbackQueue: DispatchQueue? {
        get { state.withLock { $0.callbackQueue } }
        set { state.withLock { $0.callbackQueue = newValue } }
    }

    /// Sets the block for the events from now on: the first after each start, and each settled change of the status or
    /// of the route.
    public func setReachabilityStatusChangeBlock(_ block: StatusChangeBlock?) {
        let old = state.withLock { state in
            let old = state.block
            state.block = block
            return old
        }
        withExtendedLifetime(old) {}  // letting go of what a user gave may run code of theirs
    }

    /// The events from now on, preceded by the known reachability if there was an event. The stream ends with the
    /// manager. A consumer that is more than 100 events behind misses the oldest events.
    public var changes: AsyncStream<NetworkReachability> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkReachability.self, bufferingPolicy: .bufferingNewest(100))
        let number = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            // Under the lock: an event that comes later is behind what is known now.
            if state.reachability.status != .unknown { continuation.yield(state.reachability) }
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
    /// Starts monitoring; a second call starts it again. The first event comes as soon as the status is known.
    public func startMonitoring() {
        // The order of starts and stops is that of the lock.
        state.withLock { state in
            state.lastRun += 1
            let run = state.lastRun
            state.run = run
            NetworkThread.shared.submit { [observations, monitor, target, weak self] in
                observations.value.replace(monitor()) { monitor in
                    monitor.observe(target) { self?.take($0, run: run) }
                }
            }
        }
    }

    /// Stops monitoring; no more events are delivered. The status is kept.
    public func stopMonitoring() {
        state.withLock { state in
            state.run = nil
            NetworkThread.shared.submit { [observations] in observations.value.end() }
        }
    }

    /// An event, on the network thread.
    private func take(_ reachability: NetworkReachability, run: UInt64) {
        let queue: DispatchQueue? = state.withLock { state in
            guard state.run == run else { return nil }
            state.reachability = reachability
            return state.callbackQueue ?? Queues.callbacks
        }
        queue?.async { [weak self] in
            self?.tell(reachability, run: run)
            if self == nil { Self.post(reachability, object: nil) }
        }
    }

    /// Calls the block, then posts, then feeds the streams; nothing once it was stopped.
    private func tell(_ reachability: NetworkReachability, run: UInt64) {
        let (isCurrent, block, streams) = state.withLock { state in
            (state.run == run, state.block, state.streams.values.map { $0 })
        }
        guard isCurrent else { return }
        block?(reachability.status)
        Self.post(reachability, object: self)
        for stream in streams { stream.yield(reachability) }
    }

    private static func post(_ reachability: NetworkReachability, object: NetworkReachabilityManager?) {
        NotificationCenter.default.post(
            name: didChangeNotification, object: object,
            userInfo: [notificationStatusItem: reachability.status.rawValue])
    }
}

/// A manager's observation on the network thread, while there is one.
private final class Observations {
    private var current: (monitor: NetworkMonitor, observation: NetworkMonitor.Observation)?

    func replace(_ monitor: NetworkMonitor, _ observe: (NetworkMonitor) -> NetworkMonitor.Observation) {
        // The new one first: the last one to go closes the socket.
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
