// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers
import TestSupport

/// Runs fifty workers, each with one task after another, and takes measurements in the meantime.
struct SoakClient {
    /// Longer than any time limit of a worker's task.
    private static let longestTask = Duration.seconds(90)
    private static let workerCount = 50
    private let place: SoakPlace
    private let tally = SoakTally()
    private let ledger = OutcomeLedger()

    init(placeFile: String) throws {
        place = try JSONDecoder().decode(SoakPlace.self, from: Data(contentsOf: URL(fileURLWithPath: placeFile)))
    }

    /// Runs the workers. Returns whether there was no fault.
    func run() async throws -> Bool {
        try FileManager.default.createDirectory(atPath: place.folder, withIntermediateDirectories: true)
        let tasks = try SoakTasks(place: place, tally: tally, ledger: ledger)
        await tasks.warmUp()
        await Invariants.closeIdleConnections()
        let before = ResourceSnapshot.current()
        let canary = Canary(url: place.canary)
        let begin = ContinuousClock.now
        let workers = (0..<Self.workerCount).map { number in
            Task { await work(number, tasks, until: begin + .seconds(place.seconds)) }
        }
        let memory = await watch(canary, since: begin)
        let isOver = await hasEnded(workers)
        reportUnanswered(await canary.stop())
        await finish(isOver, before, memory, warmUp: min(place.seconds / 4, 180))
        return tally.faultCount == 0
    }

    private func work(_ number: Int, _ tasks: SoakTasks, until end: ContinuousClock.Instant) async {
        var random = SeededGenerator(seed: place.seed &* 1000 &+ UInt64(number))
        while ContinuousClock.now < end {
            let task = SoakTasks.Kind.allCases.randomElement(using: &random) ?? .download
            tally.begin("\(task)", worker: number)
            await tasks.perform(task, worker: number, &random)
            tally.end(worker: number)
        }
    }

    /// Measures until the time is over, and prints a line at intervals.
    private func watch(_ canary: Canary, since begin: ContinuousClock.Instant) async -> SoakMemory {
        var memory = SoakMemory()
        var nextLine = 0.0
        while true {
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            if seconds >= place.seconds { return memory }
            memory.sample(at: seconds)
            ledger.settle()
            for hanging in tally.hanging(longerThan: Self.longestTask) { tally.fault("hangs: \(hanging)") }
            if seconds >= nextLine {
                nextLine += max(place.seconds / 20, 10)
                let report = canary.startNewReport()
                reportUnanswered(report)
                let snapshot = ResourceSnapshot.current()
                say(
                    "\(Int(seconds)) s: \(ledger.counts.ended) outcomes, \(String(format: "%.1f", memory.last)) MiB, "
                        + "\(snapshot.descriptorCount) descriptors, \(snapshot.threadCount) threads, "
                        + "canary \(report.longestMeasured)")
            }
            try? await Task.sleep(for: .seconds(2))
        }
    }

    /// The time that answers take is printed only, because fifty workers compete for the processors.
    private func reportUnanswered(_ report: Canary.Report) {
        for failure in report.failures { tally.fault("the canary was not answered: \(failure)") }
    }

    /// Waits a limited time for the workers. Returns whether all have ended.
    private func hasEnded(_ workers: [Task<Void, Never>]) async -> Bool {
        let ended = Observed(0)
        for worker in workers {
            Task {
                await worker.value
                ended.increment()
            }
        }
        let limit = ContinuousClock.now + Self.longestTask
        while ended.value < workers.count, ContinuousClock.now < limit { try? await Task.sleep(for: .milliseconds(50)) }
        return ended.value == workers.count
    }

    private func finish(_ isOver: Bool, _ before: ResourceSnapshot, _ memory: SoakMemory, warmUp: Double) async {
        if !isOver { tally.fault("hangs: \(tally.hanging(longerThan: .zero))") }
        await Invariants.closeIdleConnections()
        for growth in await ResourceSnapshot.growthAfterSettling(to: before) { tally.fault("left behind: \(growth)") }
        for fault in ledger.faultsAtEnd.prefix(20) { tally.fault(fault) }
        let (slope, growth) = (memory.slope(from: warmUp), memory.growth(from: warmUp))
        // A short run gives no meaningful slope: a single connection more or less takes more memory than the limit.
        if place.seconds >= 600 ? slope > 1 : growth > 16 {
            tally.fault("memory grows by \(slope) MiB in ten minutes, by \(growth) MiB in all")
        }
        let after = ResourceSnapshot.current()
        let counts = ledger.counts
        say("soak: seed \(place.seed), \(counts.tracked) operations, \(counts.ended) with an outcome")
        say("soak: \(tally.text)")
        say(
            "soak: memory \(String(format: "%.1f", memory.last)) MiB, slope \(String(format: "%.2f", slope)) MiB in 10 "
                + "minutes; descriptors \(before.descriptorCount) then \(after.descriptorCount), threads "
                + "\(before.threadCount) then \(after.threadCount)")
        say(tally.faultCount == 0 ? "soak: nothing wrong" : "soak: \(tally.faultCount) WRONG")
    }
}
