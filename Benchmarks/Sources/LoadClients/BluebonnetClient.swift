// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Dispatch
import Foundation
import FoundationNetworking

/// Bluebonnet as programs usually use it: a request, an operation, the manager's queue, a serializer, the response's
/// status, a completion handler.
final class BluebonnetClient: LoadClient {
    /// How operations are queued, and what their handlers do.
    enum Form {
        /// All operations are queued at once, and the manager's limit applies.
        case queued
        /// Like `queued`, but each handler reads Foundation's response object, which Foundation takes more than 10 µs
        /// to make.
        case queuedWithResponse
        /// Like `queued`, but each operation of mixed traffic is made from a `URLRequest`.
        case queuedURLRequests
        /// Each handler queues the next operation.
        case oneAfterAnother
    }

    private let manager: RequestOperationManager
    private let form: Form

    /// - Parameter isPinned: whether the authorities in the file are pinned too.
    init(
        _ limits: ConnectionLimits, _ authorityFile: String?, _ form: Form, isPinned: Bool = false,
        parts: ManagerParts = ManagerParts()
    ) throws {
        manager = try Self.makeManager(limits, authorityFile, isPinned: isPinned, parts: parts)
        self.form = form
    }

    func run(_ job: Job, _ ledger: Ledger) throws {
        manager.responseSerializer = Self.serializer(for: job)
        let (manager, form) = (manager, form)
        if form == .oneAfterAnother {
            for _ in 0..<job.chainCount { Self.submitNext(job, manager, ledger) }
        } else {
            while let number = ledger.claim() { Self.submit(job, number, manager, ledger, form) {} }
        }
        ledger.wait()
    }

    func measuresLatency(of job: Job) -> Bool { form == .oneAfterAnother && !job.startsAllAtOnce }

    func closeIdleConnections() -> Bool {
        manager.closeIdleConnectionsOfProcess()
        // Work that is submitted to the network thread runs in order.
        let done = DispatchSemaphore(value: 0)
        NetworkThread.shared.perform { _ in done.signal() }
        done.wait()
        return true
    }

    private static func submitNext(_ job: Job, _ manager: RequestOperationManager, _ ledger: Ledger) {
        guard let number = ledger.claim() else { return }
        submit(job, number, manager, ledger, .oneAfterAnother) { submitNext(job, manager, ledger) }
    }

    private static func submit(
        _ job: Job, _ number: Int, _ manager: RequestOperationManager, _ ledger: Ledger, _ form: Form,
        then: @escaping @Sendable () -> Void
    ) {
        let began = Moment.now
        let operation: HTTPRequestOperation
        do {
            operation = try self.operation(job, number, manager, form)
        } catch {
            ledger.end(number, began: began, fault: "\(error)")
            return then()
        }
        operation.setCompletionBlock { operation, object in
            let status = form == .queuedWithResponse ? operation.response?.statusCode : operation.statusCode
            ledger.end(number, began: began, fault: fault(job, number, operation, object, status: status))
            then()
        } failure: { _, error in
            ledger.end(number, began: began, fault: error.message)
            then()
        }
        manager.operationQueue.addOperation(operation)
    }
}

// MARK: - Shared by both forms

extension BluebonnetClient {
    static func makeManager(
        _ limits: ConnectionLimits, _ authorityFile: String?, isPinned: Bool = false,
        parts: ManagerParts = ManagerParts()
    ) throws -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCount = limits.inFlight
        configuration.maximumConcurrentTransferCountPerOrigin = limits.perOrigin
        configuration.transferOptions.maximumBodyByteCount = 1 << 40
        if let authorityFile {
            configuration.transferOptions.securityPolicy = try SecurityPolicy(
                pinningMode: isPinned ? .publicKey : .none,
                pins: isPinned ? PinSet(certificateFiles: [authorityFile]) : .empty,
                authorities: .file(authorityFile))
        }
        for part in parts.parts { part.add(to: &configuration, origin: parts.origin) }
        return RequestOperationManager(configuration: configuration)
    }

    static func serializer(for job: Job) -> any ResponseSerializer {
        job.decodes ? DecodableResponseSerializer(Catalogue.self) : HTTPResponseSerializer()
    }

    /// - Throws: a `BenchmarkError`, if a URL of mixed traffic is invalid.
    static func operation(
        _ job: Job, _ number: Int, _ manager: RequestOperationManager, _ form: Form = .queued
    ) throws -> HTTPRequestOperation {
        let url: URL
        switch job.traffic {
        case .uniform(let only): url = only
        case .mixed(let plan):
            let request = plan.request(number)
            guard form == .queuedURLRequests else { return MixedBluebonnet.operation(request, manager) }
            return try MixedBluebonnet.operationOfURLRequest(request, manager)
        }
        let operation = manager.operation(with: job.request(to: url))
        if let file = job.outputFile(number) { operation.outputFile = file }
        if case .file(let file, _) = job.body { operation.uploadFile = file }
        return operation
    }

    /// Returns the fault of an operation that succeeded; nil without a fault.
    static func fault(
        _ job: Job, _ number: Int, _ operation: HTTPRequestOperation, _ object: any Sendable, status: Int?
    ) -> String? {
        if case .mixed(let plan) = job.traffic {
            guard MixedBluebonnet.isDecoded(object, plan.decoding(number)) else { return Job.notDecoded }
            return job.fault(status: status, byteCount: operation.receivedByteCount)
        }
        let byteCount =
            job.outputFolder == nil ? (object as? Data).map { Int64($0.count) } : operation.receivedByteCount
        if job.decodes, object as? Catalogue == nil { return Job.notDecoded }
        return job.fault(status: status, byteCount: job.decodes ? operation.receivedByteCount : byteCount)
    }
}
