// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// The tests observe the notifications by their text, like a program written for AFNetworking.
@Suite(.timeLimit(.minutes(1))) struct SessionNotificationTests {
    private static let prefix = "com.alamofire.networking."
    private let network = ScriptedNetwork()
    private let gate = Gate()

    init() {
        network.answer("/a", with: [.head(200, ["Content-Type": "application/json"]), .body("[1]")])
        network.answer("/held", with: [.head(200, ["Content-Type": "application/json"]), .wait(gate), .body("[]")])
    }

    @Test func resumeSuspendAndCompleteArePostedOnStateChanges() async {
        let session = network.session()
        let task = session.uploadTask(with: network.request("/held", method: "POST"), from: Data("x".utf8))
        let observer = Observer(task)
        task.suspend()
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        gate.open()
        await task.ends()
        await observer.posts.becomes { $0.last?.hasPrefix("task.complete") == true }
        #expect(observer.posts.value == ["task.resume", "task.suspend", "task.resume", "task.complete"])
    }

    @Test func taskCancelledBeforeItsResumePostsOnlyItsEnd() async {
        let task = network.session().dataTask(with: network.request("/a"))
        let observer = Observer(task)
        task.cancel()
        await observer.posts.becomes { $0.last == "task.complete" }
        #expect(observer.posts.value == ["task.complete"])
    }

    @Test func completionNotificationHasItsKeys() async {
        let task = network.session().dataTask(with: network.request("/a"))
        let observer = Observer(task)
        task.resume()
        await observer.infos.becomes { !$0.isEmpty }
        let info = observer.infos.value.last ?? [:]
        #expect(
            Set(info.keys) == [
                "task.complete.responseserializer", "complete.finish.responsedata", "task.complete.serializedresponse",
                "complete.sessiontaskmetrics",
            ])
        #expect(info["complete.finish.responsedata"] as? Data == Data("[1]".utf8))
        #expect(info["task.complete.serializedresponse"] as? JSONValue == .array([.integer(1)]))
        #expect(info["task.complete.responseserializer"] is JSONResponseSerializer)
        #expect((info["complete.sessiontaskmetrics"] as? TransferSummary)?.transferCount == 1)
    }

    @Test func failureNotificationHasItsError() async {
        network.answer("/broken", with: [.fail(.connectionLost)])
        let task = network.session().dataTask(with: network.request("/broken"))
        let observer = Observer(task)
        task.resume()
        await observer.infos.becomes { !$0.isEmpty }
        let info = observer.infos.value.last ?? [:]
        #expect((info["task.complete.error"] as? NetworkingError)?.code == .connectionLost)
        #expect(info["task.complete.serializedresponse"] == nil)
    }

    @Test func downloadPostsTheResultOfItsMove() async throws {
        let folder = try ScratchFolder()
        let session = network.session { $0.downloadDirectory = folder.url }
        for expected in ["session.download.file-manager-succeed", "session.download.file-manager-error"] {
            let task = session.downloadTask(
                with: network.request("/a"), destination: { _, _ in folder.file("got") })
            let observer = Observer(task)
            task.resume()
            await observer.infos.becomes { !$0.isEmpty }
            #expect(observer.posts.value == ["task.resume", expected, "task.complete"])
            let info = observer.infos.value.last ?? [:]
            let isMoved = expected.hasSuffix("succeed")
            #expect((info["task.complete.assetpath"] as? URL) == (isMoved ? folder.file("got") : nil))
            #expect((info["task.complete.error"] == nil) == isMoved)
            guard !isMoved else { continue }
            let failure = observer.failures.value.last ?? [:]
            #expect(failure["NSDestinationFilePath"] as? String == folder.path("got"))
            #expect(failure[NSUnderlyingErrorKey] is POSIXError)
        }
    }

    @Test func invalidationIsPostedOnceWithItsManager() async {
        let session = network.session()
        let posts = Observed(0)
        let observer = NotificationCenter.default.addObserver(
            forName: Notification.Name("com.alamofire.networking.session.invalidate"), object: session, queue: nil
        ) { _ in posts.increment() }
        defer { NotificationCenter.default.removeObserver(observer) }
        session.invalidate(cancelPendingTasks: false)
        await posts.becomes(1)
        session.invalidate(cancelPendingTasks: true)
        await session.delegateQueue.catchesUp()
        #expect(posts.value == 1)
    }

    @Test func constantsHaveTheNamesOfAFNetworking() {
        let names = [
            SessionTask.didResumeNotification, SessionTask.didSuspendNotification, SessionTask.didCompleteNotification,
            SessionTask.didMoveFileNotification, SessionTask.didFailToMoveFileNotification,
            SessionManager.didInvalidateNotification,
        ]
        #expect(
            names.map(\.rawValue)
                == [
                    "task.resume", "task.suspend", "task.complete", "session.download.file-manager-succeed",
                    "session.download.file-manager-error", "session.invalidate",
                ].map { Self.prefix + $0 })
    }

    /// Records the notifications of one task. Observes them by their text, not by the library's constants.
    private final class Observer: Sendable {
        let posts = Observed([String]())
        let infos = Observed([[String: any Sendable]]())
        let failures = Observed([[String: any Sendable]]())
        nonisolated(unsafe) private let tokens: [any NSObjectProtocol]  // safe: never changed, used in deinit only

        init(_ task: SessionTask) {
            let names = [
                "task.resume", "task.suspend", "task.complete", "session.download.file-manager-succeed",
                "session.download.file-manager-error",
            ]
            tokens = names.map { [posts, infos, failures] name in
                NotificationCenter.default.addObserver(
                    forName: Notification.Name(prefix + name), object: task, queue: nil
                ) { notification in
                    nonisolated(unsafe) let info = notification.userInfo ?? [:]
                    var values: [String: any Sendable] = [:]
                    for case (let key as String, let value) in info {
                        let short = key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : key
                        values[short] = Self.sendable(value)
                    }
                    posts.append(name)
                    if name == "task.complete" { infos.append(values) }
                    if name.hasSuffix("error") { failures.append(values) }
                }
            }
        }

        private static func sendable(_ value: Any) -> any Sendable {
            switch value {
            case let value as Data: value
            case let value as URL: value
            case let value as String: value
            case let value as JSONValue: value
            case let value as TransferSummary: value
            case let value as NetworkingError: value
            case let value as POSIXError: value
            case let value as JSONResponseSerializer: value
            default: "\(value)"
            }
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    }
}
