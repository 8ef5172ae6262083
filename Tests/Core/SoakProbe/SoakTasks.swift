// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import FoundationNetworking
import RealServers
import TestSupport

/// The tasks of the workers, and the checks of their results.
struct SoakTasks: Sendable {
    /// A kind of task.
    enum Kind: CaseIterable {
        case download, file, upload, retried, paused, cancelled, batch, pinned, wronglyPinned
    }

    private let place: SoakPlace
    private let tally: SoakTally
    private let ledger: OutcomeLedger
    /// One manager per target, shared by all workers. Managers of TLS targets pin the certificate.
    private let managers: [RequestOperationManager]
    private let wronglyPinned: SecurityPolicy

    init(place: SoakPlace, tally: SoakTally, ledger: OutcomeLedger) throws {
        (self.place, self.tally, self.ledger) = (place, tally, ledger)
        let authorities = place.targets.compactMap(\.authorityFile).first ?? ""
        let pins = try PinSet(certificateFiles: [place.certificateFile])
        let policy = try SecurityPolicy(pinningMode: .certificate, pins: pins, authorities: .file(authorities))
        wronglyPinned = try SecurityPolicy(
            pinningMode: .certificate, pins: try PinSet(certificateFiles: [place.otherCertificateFile]),
            authorities: .file(authorities))
        managers = try place.targets.map { target in
            var configuration = RequestOperationManager.Configuration()
            configuration.responseSerializer = HTTPResponseSerializer()
            configuration.transferOptions = try target.options
            if target.authorityFile != nil { configuration.transferOptions.securityPolicy = policy }
            // More concurrent transfers would slow down each of them, and time limits apply to transfers on the wire.
            configuration.maximumConcurrentTransferCountPerOrigin = 12
            return RequestOperationManager(configuration: configuration)
        }
    }

    /// Runs each kind of task once, so that everything with a one-time start has started.
    func warmUp() async {
        var random = SeededGenerator(seed: 0)
        for kind in Kind.allCases { await perform(kind, worker: 0, &random) }
    }

    func perform(_ kind: Kind, worker: Int, _ random: inout SeededGenerator) async {
        switch kind {
        case .download: await run(request([.memory], worker, &random))
        case .upload: await run(request([.data, .stream, .multipart], worker, &random))
        case .file: await download(worker, &random)
        case .retried:
            let request = request([.memory, .file, .data], worker, &random)
            var policy = RetryPolicy()
            policy.initialBackoff = .milliseconds(20)
            policy.usesBudget = false
            request.operation.retryPolicy = policy
            await run(request)
        case .paused: await pause(request([.memory, .file, .data], worker, &random), &random)
        case .cancelled: await cancel(request(FaultTarget.Work.allCases, worker, &random), &random)
        case .batch: await batch(worker, &random)
        case .pinned: await run(request([.memory, .data], worker, &random, onlyTLS: true))
        case .wronglyPinned: await expectMismatch(request([.memory, .data], worker, &random, onlyTLS: true))
        }
    }

    private func request(
        _ works: [FaultTarget.Work], _ worker: Int, _ random: inout SeededGenerator, onlyTLS: Bool = false
    ) -> FaultRequest {
        let places = place.targets.indices.filter { !onlyTLS || place.targets[$0].authorityFile != nil }
        let index = places.randomElement(using: &random) ?? 0
        let work = works.randomElement(using: &random) ?? .memory
        let request = FaultRequest(
            work, Int.random(in: 0..<8, using: &random), to: place.targets[index], by: managers[index],
            file: file(worker))
        ledger.track(request.operation, request.name)
        return request
    }

    private func file(_ worker: Int) -> URL { URL(fileURLWithPath: place.folder + "/file-\(worker)") }

    private func run(_ request: FaultRequest) async {
        managers[0].enqueue(request.operation)
        try? await request.operation.waitUntilEnded()
        judge(request)
    }

    /// - Parameter codes: other acceptable error codes.
    private func judge(_ request: FaultRequest, or codes: Set<NetworkingError.Code> = []) {
        if let code = request.operation.error?.code, codes.contains(code) { return tally.count(code.rawValue) }
        switch request.verdict {
        case .right: tally.count("right")
        case .failed(let code):
            let limit = request.operation.error?.timeLimit.map { " of \($0.rawValue)" } ?? ""
            tally.count(code.rawValue + limit)
        case .wrong(let text): tally.fault(text)
        }
        removeFile(of: request)
    }

    private func removeFile(of request: FaultRequest) {
        guard let file = request.operation.outputFile else { return }
        try? FileManager.default.removeItem(at: file)
    }

    /// A download to a file, resumed after each failure.
    private func download(_ worker: Int, _ random: inout SeededGenerator) async {
        let index = Int.random(in: place.targets.indices, using: &random)
        for _ in 0..<5 {
            let request = FaultRequest(.file, 3, to: place.targets[index], by: managers[index], file: file(worker))
            ledger.track(request.operation, request.name)
            managers[index].enqueue(request.operation)
            try? await request.operation.waitUntilEnded()
            judge(request)
            if request.operation.error == nil { return tally.count("resumed to the end") }
        }
    }

    private func pause(_ request: FaultRequest, _ random: inout SeededGenerator) async {
        managers[0].enqueue(request.operation)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &random)))
            request.operation.pause()
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &random)))
            request.operation.resume()
        }
        try? await request.operation.waitUntilEnded()
        judge(request)
    }

    private func cancel(_ request: FaultRequest, _ random: inout SeededGenerator) async {
        managers[0].enqueue(request.operation)
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
        request.operation.cancel()
        try? await request.operation.waitUntilEnded()
        judge(request, or: [.cancelled])
    }

    /// Six members, each of which depends on up to two others. Dependents of a failed member are skipped.
    private func batch(_ worker: Int, _ random: inout SeededGenerator) async {
        var members: [FaultRequest] = []
        for number in 0..<6 {
            let member = request([.memory, .data, .multipart], worker, &random)
            for _ in 0..<min(number, 2) {
                let dependency = members[Int.random(in: 0..<number, using: &random)].operation
                member.operation.addDependency(dependency, ifItFails: .skip)
            }
            members.append(member)
        }
        let outcome = await managers[0].run(Batch(of: members.map(\.operation)))
        if outcome.counts.finishedCount != 6 { tally.fault("a batch ended with \(outcome.counts)") }
        for member in members { judge(member, or: [.dependencyFailed]) }
        tally.count("batches")
    }

    private func expectMismatch(_ request: FaultRequest) async {
        request.operation.securityPolicy = wronglyPinned
        managers[0].enqueue(request.operation)
        try? await request.operation.waitUntilEnded()
        if request.operation.error == nil { tally.fault("\(request.name) succeeded with a wrong pin") }
        judge(request, or: [.pinMismatch])
    }
}
