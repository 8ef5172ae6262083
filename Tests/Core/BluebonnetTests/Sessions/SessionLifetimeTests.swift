// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// The lifetimes of managers, tasks and the objects that their blocks hold, and the effect of invalidation.
@Suite(.timeLimit(.minutes(1))) struct SessionLifetimeTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())
    private let gate = Gate()

    /// An object that a program's block holds.
    private final class Token: Sendable {}

    init() {
        network.answer("/a", with: [.head(200, ["Content-Type": "application/json"]), .body("[]")])
        network.answer("/held", with: [.head(200, ["Content-Type": "application/json"]), .wait(gate), .body("[]")])
    }

    /// Makes a session with all blocks and a task with all handlers. They all hold `token`.
    private func made(_ token: Token, _ path: String) -> (SessionManager, SessionTask) {
        let session = network.session()
        session.blocks.taskWillPerformHTTPRedirection = { [token] _, _, proposed in
            withExtendedLifetime(token) { proposed }
        }
        session.blocks.taskDidReceiveChallenge = { [token] _, _ in withExtendedLifetime(token) { .performDefault } }
        session.blocks.taskNeedNewBodyStream = { [token] _ in withExtendedLifetime(token) { nil } }
        session.blocks.dataTaskDidReceiveResponse = { [token] _, _ in withExtendedLifetime(token) { .allow } }
        session.blocks.dataTaskDidReceiveData = { [token] _, _ in withExtendedLifetime(token) {} }
        session.blocks.dataTaskWillCacheResponse = { [token] _, proposed in
            withExtendedLifetime(token) { proposed }
        }
        session.blocks.taskDidSendBodyData = { [token] _, _, _, _ in withExtendedLifetime(token) {} }
        session.blocks.taskDidComplete = { [token] _, _ in withExtendedLifetime(token) {} }
        let progress: SessionTask.ProgressBlock = { [token] _ in withExtendedLifetime(token) {} }
        let task = session.dataTask(
            with: network.request(path, method: "POST", body: "x"), uploadProgress: progress,
            downloadProgress: progress
        ) { [token, session] _, _, _ in
            withExtendedLifetime((token, session)) {}
        }
        return (session, task)
    }

    @Test func handlersMayRetainTheirTask() async {
        weak var session: SessionManager?
        weak var weakTask: SessionTask?
        do {
            let manager = network.session()
            let holder = Observed<SessionTask?>(nil)
            let hold: SessionTask.ProgressBlock = { _ in withExtendedLifetime(holder) {} }
            let task = manager.dataTask(with: network.request("/a"), downloadProgress: hold) { _, _, _ in
                withExtendedLifetime(holder) {}
            }
            holder.update { $0 = task }
            (session, weakTask) = (manager, task)
            task.resume()
            await task.ends()
        }
        await becomes(true) { session == nil && weakTask == nil }
    }

    @Test func invalidationReleasesBlocksThatRetainTheirManager() async {
        weak var session: SessionManager?
        do {
            let manager = network.session()
            manager.blocks.taskDidComplete = { _, _ in withExtendedLifetime(manager) {} }
            session = manager
            _ = await manager.dataTask(with: network.request("/a")).ran()
            manager.invalidate(cancelPendingTasks: false)
        }
        await becomes(true) { session == nil }
    }

    @Test func endedTaskAndItsManagerAreReleased() async {
        weak var token: Token?
        weak var session: SessionManager?
        weak var task: SessionTask?
        weak var operation: HTTPRequestOperation?
        do {
            let made = Token()
            let (manager, resumed) = self.made(made, "/a")
            (token, session, task, operation) = (made, manager, resumed, resumed.operation)
            await resumed.ran().session.delegateQueue.catchesUp()
        }
        await becomes(true) { token == nil && session == nil && task == nil && operation == nil }
    }

    @Test func taskThatWasNotResumedIsReleasedWithItsManager() async {
        weak var session: SessionManager?
        weak var task: SessionTask?
        do {
            let manager = network.session()
            let idle = manager.dataTask(with: network.request("/a")) { _, _, _ in }
            (session, task) = (manager, idle)
            #expect(manager.tasks.count == 1)
        }
        await becomes(true) { session == nil && task == nil }
    }

    @Test func managerRetainsItsTask() async {
        let session = network.session()
        _ = session.dataTask(with: network.request("/a"))
        #expect(session.tasks.count == 1)
        let task = session.tasks.first
        #expect(await task?.ran().error == nil)
    }

    @Test func runningTaskEndsWithoutItsManager() async {
        let task: SessionTask
        do {
            let session = network.session()
            task = session.dataTask(with: network.request("/held")) { [seen] _, _, error in
                seen.append("\(error == nil)")
            }
            task.resume()
        }
        await network.log.sees(.begun(1))
        gate.open()
        await task.ends()
        #expect(seen.value == ["true"])
    }

    @Test func taskRunsAfterItsManagerWasReleased() async {
        let task = network.session().dataTask(with: network.request("/a"))
        #expect(await task.ran().error == nil)
    }

    @Test func invalidationWithoutCancelWaitsForTheTasks() async {
        let session = network.session()
        session.blocks.sessionDidBecomeInvalid = { [seen] in seen.append("invalid") }
        session.blocks.taskDidComplete = { [seen] _, error in seen.append(error?.code.rawValue ?? "complete") }
        let task = session.dataTask(with: network.request("/held")) { [seen] _, _, _ in seen.append("handler") }
        task.resume()
        await network.log.sees(.begun(1))
        session.invalidate(cancelPendingTasks: false)
        await session.delegateQueue.catchesUp()
        #expect(seen.value == [])
        gate.open()
        await seen.becomes { $0.last == "invalid" }
        #expect(seen.value == ["complete", "handler", "invalid"])
    }

    @Test func invalidationWithCancelEndsEveryTask() async {
        let session = network.session()
        session.blocks.sessionDidBecomeInvalid = { [seen] in seen.append("invalid") }
        let handler: SessionTask.DataCompletion = { [seen] _, _, error in seen.append(error?.code.rawValue ?? "") }
        let running = session.dataTask(with: network.request("/held"), completionHandler: handler)
        let suspended = session.dataTask(with: network.request("/held"), completionHandler: handler)
        let idle = session.dataTask(with: network.request("/held"), completionHandler: handler)
        running.resume()
        suspended.resume()
        suspended.suspend()
        session.invalidate(cancelPendingTasks: true)
        await seen.becomes { $0.last == "invalid" }
        #expect(seen.value == ["cancelled", "cancelled", "cancelled", "invalid"])
        #expect([running, suspended, idle].allSatisfy { $0.state == .completed })
    }

    @Test(arguments: TaskMaking.allCases)
    func taskOfAnInvalidatedSessionEndsWithoutBeingResumed(making: TaskMaking) async {
        let session = network.session()
        session.invalidate(cancelPendingTasks: false)
        let task = making.task(session, network) { [seen] code in seen.append(code) }
        await task.ends()
        #expect(task.state == .completed)
        #expect(task.error?.code == .cancelled)
        #expect(task.error?.message.contains("invalidated") == true)
        #expect(session.tasks.isEmpty)
        task.resume()
        await session.delegateQueue.catchesUp()
        #expect(seen.value == ["cancelled"])
        #expect(network.log.requests.isEmpty)
    }

    @Test(arguments: TaskMaking.allCases)
    func handlersMayRetainTheirManagerAndTask(making: TaskMaking) async throws {
        let folder = try ScratchFolder()
        weak var session: SessionManager?
        weak var task: SessionTask?
        do {
            let manager = network.session { $0.downloadDirectory = folder.url }
            let holder = Observed<SessionTask?>(nil)
            let made = making.task(manager, network) { _ in withExtendedLifetime((manager, holder)) {} }
            holder.update { $0 = made }
            (session, task) = (manager, made)
            await made.ran().session.delegateQueue.catchesUp()
            #expect(made.error == nil)
        }
        await becomes(true) { session == nil && task == nil }
    }

    @Test(arguments: TaskMaking.allCases)
    func invalidationReleasesBlocksThatRetainManagerAndTask(making: TaskMaking) async throws {
        let folder = try ScratchFolder()
        weak var session: SessionManager?
        weak var task: SessionTask?
        do {
            let manager = network.session { $0.downloadDirectory = folder.url }
            let holder = Observed<SessionTask?>(nil)
            manager.blocks.holding((manager, holder), answer: making.disposition)
            let made = making.task(manager, network) { _ in }
            holder.update { $0 = made }
            (session, task) = (manager, made)
            _ = await made.ran()
            #expect(made.error == nil)
            manager.invalidate(cancelPendingTasks: false)
        }
        await becomes(true) { session == nil && task == nil }
    }

    @Test(arguments: TaskMaking.allCases)
    func cancelledTaskThatRetainsItselfIsReleased(making: TaskMaking) async {
        weak var session: SessionManager?
        weak var task: SessionTask?
        do {
            let manager = network.session()
            let holder = Observed<SessionTask?>(nil)
            let made = making.task(manager, network, path: "/held") { _ in
                withExtendedLifetime((manager, holder)) {}
            }
            holder.update { $0 = made }
            (session, task) = (manager, made)
            made.resume()
            await network.log.sees(.begun(1))
            made.cancel()
            await made.ends()
        }
        await becomes(true) { session == nil && task == nil }
    }

    @Test(arguments: TaskMaking.allCases)
    func taskIsListedFromCreationToCompletion(making: TaskMaking) async throws {
        let folder = try ScratchFolder()
        let session = network.session { $0.downloadDirectory = folder.url }
        let reachedResponse = Observed(0)
        network.answer(
            "/listed",
            with: [
                .head(200, ["Content-Type": "application/json"]), .reach(reachedResponse), .wait(gate), .body("[]"),
            ])
        session.blocks.dataTaskDidReceiveResponse = { _, _ in making.disposition }
        let task = making.task(session, network, path: "/listed") { _ in }
        func expect(_ state: SessionTask.State, _ kind: SessionTask.Kind) {
            #expect(task.state == state)
            #expect(session.tasks.map(\.taskIdentifier) == [1])
            #expect(session.dataTasks.count == (kind == .data ? 1 : 0))
            #expect(session.uploadTasks.count == (kind == .upload ? 1 : 0))
            #expect(session.downloadTasks.count == (kind == .download ? 1 : 0))
        }
        expect(.suspended, making.firstKind)
        task.resume()
        await reachedResponse.becomes { $0 > 0 }
        await becomes(making.lastKind) { task.kind }
        expect(.running, making.lastKind)
        task.suspend()
        expect(.suspended, making.lastKind)
        task.resume()
        expect(.running, making.lastKind)
        gate.open()
        await task.ends()
        #expect(task.state == .completed)
        #expect(task.error == nil, "\(String(describing: task.error))")
        #expect(session.tasks.isEmpty && session.downloadTasks.isEmpty)
    }

    @Test func releasedInvalidatedManagerFinishesItsRunningTasks() async {
        let task: SessionTask
        do {
            let session = network.session()
            session.blocks.sessionDidBecomeInvalid = { [seen] in seen.append("invalid") }
            task = session.dataTask(with: network.request("/held"))
            _ = session.dataTask(with: network.request("/held"))
            task.resume()
            session.invalidate(cancelPendingTasks: false)
        }
        gate.open()
        await seen.becomes(["invalid"])
        #expect(task.error == nil)
    }
}
