// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Tests that need no change of the network: this machine itself is always reachable.
@Suite(.timeLimit(.minutes(1))) struct NetworkReachabilityManagerTests {
    private func loopback() throws -> NetworkReachabilityManager {
        NetworkReachabilityManager(address: try #require(IPAddress("127.0.0.1")))
    }

    /// Starts the manager and waits for its first event.
    private func firstStatus(of manager: NetworkReachabilityManager) async -> NetworkReachabilityStatus? {
        let told = Observed<[NetworkReachabilityStatus]>([])
        manager.setReachabilityStatusChangeBlock { told.append($0) }
        manager.startMonitoring()
        await told.becomes { !$0.isEmpty }
        manager.setReachabilityStatusChangeBlock(nil)
        return told.value.first
    }

    @Test func statusesMatchAFNetworkingsNumbersAndTexts() {
        let all: [NetworkReachabilityStatus] = [.unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi]
        #expect(all.map(\.rawValue) == [-1, 0, 1, 2])
        #expect(
            all.map(\.localizedDescription) == ["Unknown", "Not Reachable", "Reachable via WWAN", "Reachable via WiFi"])
        #expect(all.map(\.isReachable) == [false, false, true, true])
    }

    @Test func statusIsUnknownBeforeMonitoring() throws {
        let manager = try loopback()
        #expect(manager.networkReachabilityStatus == .unknown)
        #expect(!manager.isReachable && !manager.isReachableViaWiFi && !manager.isReachableViaWWAN)
        #expect(manager.localizedNetworkReachabilityStatusString == "Unknown")
        #expect(manager.reachability.route == nil)
        #expect(NetworkReachabilityManager.shared === NetworkReachabilityManager.shared)
    }

    @Test func firstEventComesWithoutAChange() async throws {
        let manager = try loopback()
        #expect(await firstStatus(of: manager) == .reachableViaWiFi)
        #expect(manager.isReachable && manager.isReachableViaWiFi && !manager.isReachableViaWWAN)
        #expect(manager.localizedNetworkReachabilityStatusString == "Reachable via WiFi")
        let route = try #require(manager.reachability.route)
        #expect(route.interface.kind == .loopback)
        #expect(route.destination.description == "127.0.0.1")
        #expect(route.gateway == nil)
    }

    @Test func restartedManagerReportsAgain() async throws {
        let manager = try loopback()
        for _ in 0..<3 { #expect(await firstStatus(of: manager) == .reachableViaWiFi) }
        manager.stopMonitoring()
        #expect(manager.networkReachabilityStatus == .reachableViaWiFi, "the status is kept")
        #expect(await firstStatus(of: manager) == .reachableViaWiFi)
    }

    @Test func domainIsLookedUp() async {
        let manager = NetworkReachabilityManager(domain: "localhost")
        #expect(await firstStatus(of: manager) == .reachableViaWiFi)
        #expect(manager.reachability.route?.interface.kind == .loopback)
    }

    @Test func unknownDomainIsNotReachable() async {
        #expect(await firstStatus(of: NetworkReachabilityManager(domain: "nowhere.invalid.")) == .notReachable)
    }

    @Test func blockPrecedesTheNotificationOnTheCallbackQueue() async throws {
        let manager = try loopback()
        let queue = DispatchQueue(label: "reachability-test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let told = Observed<[String]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: NetworkReachabilityManager.didChangeNotification, object: manager, queue: nil
        ) { notification in
            let status = notification.userInfo?["AFNetworkingReachabilityNotificationStatusItem"] as? Int
            told.append("notification \(status ?? -9) \(DispatchQueue.getSpecific(key: key) == true)")
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        manager.callbackQueue = queue
        manager.setReachabilityStatusChangeBlock {
            told.append("block \($0.rawValue) \(DispatchQueue.getSpecific(key: key) == true)")
        }
        manager.startMonitoring()
        await told.becomes { $0.count == 2 }
        #expect(told.value == ["block 2 true", "notification 2 true"])
        #expect(
            NetworkReachabilityManager.didChangeNotification.rawValue
                == "com.alamofire.networking.reachability.change")
    }

    @Test func blockRunsOnTheLibrarysQueueByDefault() async throws {
        let manager = try loopback()
        let isThere = Observed<Bool?>(nil)
        manager.setReachabilityStatusChangeBlock { _ in
            dispatchPrecondition(condition: .onQueue(Queues.callbacks))
            isThere.update { $0 = true }
        }
        manager.startMonitoring()
        await isThere.becomes(true)
    }

    @Test func streamBeginsWithTheKnownState() async throws {
        let manager = try loopback()
        let early = manager.changes
        _ = await firstStatus(of: manager)
        for await reachability in early {
            #expect(reachability == manager.reachability)
            break
        }
        for await reachability in manager.changes {
            #expect(reachability == manager.reachability)
            break
        }
    }

    /// The first event waits on one queue while the second event is delivered on another queue.
    @Test func streamOmitsAnOvertakenEvent() async throws {
        var manager: NetworkReachabilityManager? = try loopback()
        let (slow, fast) = (DispatchQueue(label: "slow"), DispatchQueue(label: "fast"))
        slow.suspend()
        manager?.callbackQueue = slow
        manager?.startMonitoring()
        await Self.firstEventArrives(at: try #require(manager))
        manager?.callbackQueue = fast
        let first = try #require(manager?.reachability)
        let (early, second) = (try #require(manager?.changes), NetworkReachability(.notReachable))
        manager?.receive(second, run: 1)
        let late = try #require(manager?.changes)
        await fast.catchesUp()
        slow.resume()
        await slow.catchesUp()
        manager = nil
        #expect(await early.reduce(into: []) { $0.append($1) } == [first, second])
        #expect(await late.reduce(into: []) { $0.append($1) } == [second])
    }

    @Test func streamEndsWithItsManager() async throws {
        var manager: NetworkReachabilityManager? = try loopback()
        let changes = try #require(manager?.changes)
        manager = nil
        for await _ in changes { Issue.record("nothing was started") }
    }

    @Test func stoppedManagerReportsNothing() async throws {
        let manager = try loopback()
        let queue = DispatchQueue(label: "reachability-test")
        manager.callbackQueue = queue
        let told = Observed(0)
        manager.setReachabilityStatusChangeBlock { _ in told.increment() }
        queue.suspend()
        manager.startMonitoring()
        await Self.firstEventArrives(at: manager)
        manager.stopMonitoring()
        queue.resume()
        await queue.catchesUp()
        #expect(told.value == 0)
    }

    /// Waits until the network thread has brought the first event, delivered or not.
    private static func firstEventArrives(at manager: NetworkReachabilityManager) async {
        await eventually(manager.networkReachabilityStatus) { $0 != .unknown }
    }

    @Test func monitoringManagerIsDeallocatedWhenReleased() async throws {
        weak var weakManager: NetworkReachabilityManager?
        do {
            let manager = try loopback()
            weakManager = manager
            _ = await firstStatus(of: manager)
        }
        await becomes(true) { weakManager == nil }
    }

    @Test func thousandStartsAndStopsFromManyThreadsLeakNothing() async {
        // This test runs in its own process, because other suites also have descriptors and threads.
        await #expect(processExitsWith: .success) {
            let warmUp = NetworkReachabilityManager(domain: "localhost")
            warmUp.startMonitoring()
            for await _ in warmUp.changes { break }
            warmUp.stopMonitoring()
            await NetworkThread.shared.catchesUp()
            let before = ResourceSnapshot.current()
            #expect(!before.descriptors.isEmpty)
            await Self.startAndStopAThousandTimes()
            #expect(await ResourceSnapshot.growthAfterSettling(to: before) == [])
            // Monitoring still works afterwards.
            let manager = NetworkReachabilityManager(domain: "127.0.0.1")
            manager.startMonitoring()
            for await reachability in manager.changes {
                #expect(reachability.status == .reachableViaWiFi)
                break
            }
        }
    }

    private static func startAndStopAThousandTimes() async {
        let managers = [
            NetworkReachabilityManager.shared, NetworkReachabilityManager(domain: "localhost"),
            NetworkReachabilityManager(domain: "127.0.0.1"),
        ]
        let ended = Observed(0)
        for thread in 0..<8 {
            Thread.detachNewThread {
                for number in 0..<125 {
                    let manager = managers[(thread + number) % managers.count]
                    manager.startMonitoring()
                    if number % 5 != 0 { manager.stopMonitoring() }
                }
                ended.increment()
            }
        }
        await ended.becomes(8)
        for manager in managers { manager.stopMonitoring() }
        await NetworkThread.shared.catchesUp()
    }
}
