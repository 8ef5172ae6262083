// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(2)), .serialized) struct NetworkThreadTests {
    @Test func workOnASleepingThreadRunsWithinFiftyMilliseconds() async throws {
        var delays: [UInt64] = []
        let thread = try await networkThreadNumber()
        for _ in 0..<20 {
            await fallsAsleep(thread)
            let began = MonotonicClock.now()
            let ran = await onNetworkThread { MonotonicClock.now() }
            delays.append(ran - began)
        }
        // The median of 20, so that a machine that is busy for a moment does not fail the test. Work that does not
        // wake the thread is seconds late every time.
        #expect(delays.sorted()[10] <= 50_000_000, "\(delays.sorted())")
    }

    @Test func timerOnTheRunLoopFires() async {
        let firings = Observed(0)
        NetworkThread.shared.perform { runLoop in
            let timer = Timer(timeInterval: 0.001, repeats: true) { timer in
                if NetworkThread.isCurrent { firings.increment() }
                if firings.value == 3 { timer.invalidate() }
            }
            runLoop.add(timer, forMode: .default)
        }
        await firings.becomes(3)
    }

    @Test func blockOnTheRunLoopRuns() async {
        let runs = Observed(0)
        NetworkThread.shared.perform { runLoop in
            runLoop.perform { if NetworkThread.isCurrent { runs.increment() } }
        }
        await runs.becomes(1)
    }

    @Test func submissionsOfEveryThreadRunInOrder() async {
        let (threadCount, countEach) = (8, 1_250)
        let arrived = Observed([Int: [Int]]())
        for thread in 0..<threadCount {
            Thread.detachNewThread {
                for number in 0..<countEach {
                    NetworkThread.shared.submit { arrived.update { $0[thread, default: []].append(number) } }
                }
            }
        }
        await arrived.becomes { $0.values.reduce(0) { $0 + $1.count } == threadCount * countEach }
        for thread in 0..<threadCount { #expect(arrived.value[thread] == Array(0..<countEach)) }
    }

    @Test func workSubmittedOnTheThreadRunsAfterEarlierWork() async {
        let order = Observed([Int]())
        NetworkThread.shared.submit {
            NetworkThread.shared.submit { order.append(3) }
            order.append(1)
        }
        NetworkThread.shared.submit { order.append(2) }
        await order.becomes { $0.count == 3 }
        // The second submission comes from here, and can come before or after the third.
        #expect([[1, 2, 3], [1, 3, 2]].contains(order.value))
    }

    @Test func onlyTheNetworkThreadHasItsName() async {
        let number = await onNetworkThread { Self.ownNumber() }
        let again = await onNetworkThread { Self.ownNumber() }
        #expect(number == again)
        // Linux keeps at most 15 bytes of "org.bluebonnet.network".
        let name = await onNetworkThread { Thread.current.name }
        #expect(name?.hasPrefix("org.bluebonnet") == true)
        #expect(Self.threads(named: "org.bluebonnet") == [number])
    }

    @Test func otherThreadsAreNotTheNetworkThread() async {
        #expect(!NetworkThread.isCurrent)
        #expect(await onNetworkThread { NetworkThread.isCurrent })
    }

    @Test func networkBoundValueOpensOnTheNetworkThread() async {
        let bound = NetworkBound(NonSendableBox(7))
        #expect(await onNetworkThread { bound.value.number } == 7)
    }

    @Test func networkBoundValueTrapsOnOtherThreads() async {
        await #expect(processExitsWith: .failure) {
            let bound = NetworkBound(NonSendableBox(7))
            _ = bound.value.number
        }
    }

    @Test func writeToAClosedPeerDoesNotEndTheProcess() async {
        let code = await onNetworkThread {
            var ends: [CInt] = [0, 0]
            pipe(&ends)
            close(ends[0])
            defer { close(ends[1]) }
            return write(ends[1], "x", 1) < 0 ? errno : 0
        }
        #expect(code == EPIPE)
    }
}

extension NetworkThreadTests {
    private func onNetworkThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            NetworkThread.shared.submit { continuation.resume(returning: work()) }
        }
    }

    private func networkThreadNumber() async throws -> Int {
        try #require(await onNetworkThread { Self.ownNumber() })
    }

    /// The kernel's number of the calling thread.
    private static func ownNumber() -> Int? {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")).flatMap {
            $0.split(separator: "/").last.flatMap { Int($0) }
        }
    }

    private static func threads(named name: String) -> [Int] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return numbers.compactMap(Int.init).filter { number in
            let found = try? String(contentsOfFile: "/proc/self/task/\(number)/comm", encoding: .utf8)
            return found?.hasPrefix(name) == true
        }
    }

    /// Waits until the kernel reports that a thread sleeps.
    private func fallsAsleep(_ thread: Int) async {
        let path = "/proc/self/task/\(thread)/stat"
        await eventually((try? String(contentsOfFile: path, encoding: .utf8)) ?? "") {
            $0.split(separator: ")").last?.hasPrefix(" S") == true
        }
    }
}

/// A value that must not leave its thread.
private final class NonSendableBox {
    let number: Int
    init(_ number: Int) { self.number = number }
}

@available(*, unavailable)
extension NonSendableBox: Sendable {}
