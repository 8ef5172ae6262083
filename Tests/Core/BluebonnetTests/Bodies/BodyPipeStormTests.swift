// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Pipes between the network thread and other threads, in both directions, closed at any moment. The reader receives
/// the bytes that were written, up to the moment at which one end left. No thread waits forever.
@Suite(.timeLimit(.minutes(2))) struct BodyPipeStormTests {
    #if BLUEBONNET_SANITIZED
        /// A pipe with a capacity of one byte switches threads for each byte. That takes many times longer with a
        /// sanitizer.
        private static let runCount = 10
    #else
        /// How many pipes each thread runs.
        private static let runCount = 60
    #endif

    /// How the writer ends, and after how many bytes the reader closes the pipe.
    private struct Plan: Sendable {
        let body: Data
        let pieceByteCount: Int
        let capacity: Int
        let fails: Bool
        let readerLeavesAt: Int?
        let drops: Bool

        init(_ random: inout SeededGenerator) {
            body = Data.patterned(byteCount: Int.random(in: 0...40_000, using: &random))
            pieceByteCount = Int.random(in: 1...5_000, using: &random)
            capacity = Int.random(in: 1...10_000, using: &random)
            fails = Int.random(in: 0..<4, using: &random) == 0
            drops = Int.random(in: 0..<6, using: &random) == 0
            let leaves = Int.random(in: 0..<3, using: &random) == 0
            readerLeavesAt = leaves ? Int.random(in: 0...(body.count + 1), using: &random) : nil
        }

        /// How the writer's bytes end.
        var end: BodyPipe.End { fails ? .failed(NetworkingError(.cannotReadFile, "storm")) : .complete }
    }

    /// The bytes that a reader received, and how reading ended.
    private struct Report: Sendable {
        var bytes = Data()
        var end: String?
        var endCount = 0
    }

    /// One pipe with both ends.
    private final class Run: Sendable {
        let plan: Plan
        let pipe: BodyPipe
        let report = Observed(Report())
        private let writtenByteCount = Observed(0)
        /// Signalled when the far end has work to do.
        private let farWork = DispatchSemaphore(value: 0)

        init(_ plan: Plan, farEnd: PipeState.Ends) {
            self.plan = plan
            pipe = BodyPipe(capacity: plan.capacity, farEnd: farEnd)
        }

        /// Runs the writer's turn. Returns true when the writer has finished.
        func write(orCall wake: BodyPipe.Wake?) -> Bool {
            while true {
                let written = writtenByteCount.value
                guard pipe.readerEnd == nil, written < plan.body.count else {
                    pipe.finish(plan.end, isDropping: plan.drops)
                    return true
                }
                guard pipe.requestCapacity(orCall: wake) else { return false }
                let piece = plan.body.dropFirst(written).prefix(plan.pieceByteCount)
                writtenByteCount.update { $0 += piece.count }
                pipe.write(Data(piece))
            }
        }

        func recordEnd(_ end: BodyPipe.End) {
            report.update { report in
                if case .complete = end { report.end = "complete" } else { report.end = "failed" }
                report.endCount += 1
            }
        }

        /// Returns whether the reader continues.
        func receive(_ bytes: Data) -> Bool {
            let count = report.update { report in
                report.bytes += bytes
                return report.bytes.count
            }
            guard let limit = plan.readerLeavesAt, count >= limit else { return true }
            pipe.close(.complete)
            report.update { report in
                report.end = "left"
                report.endCount += 1
            }
            return false
        }

        // The network thread writes; another thread reads.

        func download() {
            NetworkThread.shared.submit { [self] in
                pipe.whenWoken { [self] in if write(orCall: nil) { pipe.whenWoken(nil) } }
                if write(orCall: nil) { pipe.whenWoken(nil) }
            }
            while report.value.end == nil {
                switch pipe.next(orCall: { [farWork] in farWork.signal() }) {
                case .chunk(let bytes)?: _ = receive(bytes)
                case .end(let end)?: recordEnd(end)
                case nil: farWork.wait()
                }
            }
        }

        // Another thread writes; the network thread reads.

        func upload() {
            NetworkThread.shared.submit { [self] in
                pipe.whenWoken { [self] in read() }
                read()
            }
            while !write(orCall: { [farWork] in farWork.signal() }) { farWork.wait() }
        }

        private func read() {
            var buffer = [UInt8](repeating: 0, count: 3_000)
            while report.value.end == nil {
                do {
                    let count = try buffer.withUnsafeMutableBytes {
                        try pipe.copyBytes(into: $0, declaredByteCount: nil)
                    }
                    guard let count else { return }
                    if count == 0 { recordEnd(.complete) } else { _ = receive(Data(buffer.prefix(count))) }
                } catch {
                    recordEnd(.failed(error))
                }
            }
            pipe.whenWoken(nil)
        }

        func check() {
            let report = report.value
            #expect(report.endCount == 1)
            #expect(plan.body.starts(with: report.bytes))
            if report.end == "left" { return }
            #expect(report.end == (plan.fails ? "failed" : "complete"))
            if !plan.drops { #expect(report.bytes == plan.body) }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func bytesArriveUnlessTheReaderLeaves(seed: UInt64) async {
        let runs = Observed([Run]())
        await onThreads(6, seed: seed) { number, random in
            for _ in 0..<Self.runCount {
                let run = Run(Plan(&random), farEnd: number % 2 == 0 ? .reader : .writer)
                if number % 2 == 0 { run.download() } else { run.upload() }
                runs.append(run)
            }
        }
        for run in runs.value {
            await run.report.becomes { $0.end != nil }
            run.check()
        }
        #expect(runs.value.count == 6 * Self.runCount)
    }

    /// The far end closes the pipe, and the near end is notified whatever else happens at the same time.
    @Test(arguments: [5, 6] as [UInt64]) func closedPipeWakesItsWriterOnce(seed: UInt64) async {
        let wakes = Observed(0)
        await onThreads(4, seed: seed) { _, random in
            for _ in 0..<100 {
                let pipe = BodyPipe(capacity: 100, farEnd: .reader)
                let isWoken = DispatchSemaphore(value: 0)
                NetworkThread.shared.submit {
                    pipe.whenWoken {
                        guard pipe.readerEnd != nil else { return }
                        wakes.increment()
                        isWoken.signal()
                    }
                    pipe.write(Data(count: 60))
                }
                if Bool.random(using: &random) { _ = pipe.next(orCall: {}) }
                NetworkThread.shared.submit { _ = pipe.requestCapacity() }
                // The network thread runs its work in order, so the listener is set before the pipe is closed.
                NetworkThread.shared.submit { Queues.blocking.async { pipe.close(.complete) } }
                Queues.blocking.async { pipe.finish(.complete) }
                isWoken.wait()
            }
        }
        #expect(wakes.value == 400)
    }
}
