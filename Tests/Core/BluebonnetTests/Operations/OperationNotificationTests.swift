// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct OperationNotificationTests {
    private let network = ScriptedNetwork()
    private let gate = Gate()

    init() { network.answer("/held", with: [.head(200), .wait(gate)]) }

    @Test func notificationNamesMatchAFNetworking() {
        #expect(RequestOperation.didStartNotification.rawValue == "com.alamofire.networking.operation.start")
        #expect(RequestOperation.didFinishNotification.rawValue == "com.alamofire.networking.operation.finish")
    }

    @Test func startAndFinishArePostedOffTheNetworkThread() async {
        let operation = network.operation("/a")
        let observer = Observer(operation)
        operation.start()
        await observer.posts.becomes { $0.count == 2 }
        #expect(observer.posts.value == ["start", "finish"])
    }

    @Test func pausePostsFinishAndResumePostsStart() async {
        let operation = network.operation("/held", method: "POST", body: "x")
        let observer = Observer(operation)
        operation.start()
        await network.log.sees(.begun(1))
        operation.pause()
        await network.log.sees(.paused(1))
        operation.resume()
        gate.open()
        await observer.posts.becomes { $0.count == 4 }
        #expect(observer.posts.value == ["start", "finish", "start", "finish"])
    }

    @Test func operationCancelledBeforeStartPostsStartAndFinish() async {
        let operation = network.operation("/a")
        let observer = Observer(operation)
        operation.cancel()
        operation.start()
        await observer.posts.becomes { $0.count == 2 }
        #expect(observer.posts.value == ["start", "finish"])
    }

    @Test func unstartedOperationPostsNothing() async {
        let operation = network.operation("/a")
        let observer = Observer(operation)
        operation.pause()
        operation.resume()
        operation.cancel()
        await Queues.notifications.catchesUp()
        #expect(observer.posts.value == [])
    }

    /// Runs in its own process, in which no code has read the notification names.
    @Test func observerByNameReceivesPostsOnceEnabled() async {
        await #expect(processExitsWith: .success) {
            let network = ScriptedNetwork()
            let posts = Observed([String]())
            for name in ["start", "finish"] {
                _ = NotificationCenter.default.addObserver(
                    forName: Notification.Name("com.alamofire.networking.operation." + name), object: nil, queue: nil
                ) { notification in
                    let path = (notification.object as? RequestOperation)?.request?.url?.path
                    posts.append("\(name) \(path ?? "")")
                }
            }
            #expect(!RequestOperation.postsNotifications)
            await network.operation("/before").run().ends()
            await NetworkThread.shared.catchesUp()  // the finish is posted last
            RequestOperation.postsNotifications = true
            await network.operation("/after").run().ends()
            await posts.becomes { $0.count == 2 }
            #expect(posts.value == ["start /after", "finish /after"])
            RequestOperation.postsNotifications = false
            await network.operation("/later").run().ends()
            await NetworkThread.shared.catchesUp()
            _ = RequestOperation.didStartNotification
            #expect(RequestOperation.postsNotifications)
            await network.operation("/last").run().ends()
            await posts.becomes { $0.count == 4 }
            #expect(posts.value.suffix(2) == ["start /last", "finish /last"])
        }
    }

    @Test func finishIsNeverPostedBeforeStart() async {
        let operations = (0..<2_000).map { network.operation("/\($0)") }
        let observers = operations.map(Observer.init)
        for thread in 0..<8 {
            Thread.detachNewThread {
                for operation in operations[(thread * 250)..<((thread + 1) * 250)] { operation.start() }
            }
        }
        for observer in observers {
            await observer.posts.becomes { $0.count == 2 }
            #expect(observer.posts.value == ["start", "finish"])
        }
    }

    @Test func startsAndFinishesArePairedAcrossManyPauses() async {
        let operations = (0..<200).map { network.operation("/\($0)") }
        let observers = operations.map(Observer.init)
        RequestOperationQueue().addOperations(operations)
        for operation in operations {
            operation.pause()
            operation.resume()
        }
        for operation in operations { await operation.ends() }
        for observer in observers {
            await observer.posts.becomes { posts in
                posts.count >= 2 && posts.filter { $0 == "start" }.count == posts.filter { $0 == "finish" }.count
            }
        }
    }
}

/// Records the notifications of one operation.
private final class Observer: Sendable {
    let posts = Observed([String]())
    nonisolated(unsafe) private let tokens: [any NSObjectProtocol]  // safe: never changed, used in deinit only

    init(_ operation: RequestOperation) {
        let names = [RequestOperation.didStartNotification: "start", RequestOperation.didFinishNotification: "finish"]
        tokens = names.map { [posts] name, text in
            NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) { _ in
                posts.append(NetworkThread.isCurrent ? "\(text) on the network thread" : text)
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
