// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Dispatch
import Foundation
import FoundationNetworking

/// Bluebonnet as a user would call it: a request, an operation for it, the manager's queue, a serializer, the response,
/// a completion handler.
///
/// All operations are queued at once and the manager's limit does the rest, or each handler queues the next one.
final class BluebonnetClient: LoadClient {
    private let manager: RequestOperationManager
    private let isLoop: Bool

    init(_ concurrency: Int, _ authorityFile: String?, isLoop: Bool) throws {
        manager = try Self.makeManager(concurrency, authorityFile)
        self.isLoop = isLoop
    }

    func run(_ job: Job, _ ledger: Ledger) throws {
        manager.responseSerializer = Self.serializer(for: job)
        let manager = manager
        if isLoop {
            for _ in 0..<job.chainCount { Self.submitNext(job, manager, ledger) }
        } else {
            while let number = ledger.claim() { Self.submit(job, number, manager, ledger) {} }
        }
        ledger.wait()
    }

    func measuresLatency(of job: Job) -> Bool { isLoop && !job.startsAllAtOnce }

    func closeIdleConnections() -> Bool {
        manager.closeIdleConnections()
        // What is given to the network thread runs in order.
        let done = DispatchSemaphore(value: 0)
        NetworkThread.shared.perform { _ in done.signal() }
        done.wait()
        return true
    }

    private static func submitNext(_ job: Job, _ manager: RequestOperationManager, _ ledger: Ledger) {
        guard let number = ledger.claim() else { return }
        submit(job, number, manager, ledger) { submitNext(job, manager, ledger) }
    }

    private static func submit(
        _ job: Job, _ number: Int, _ manager: RequestOperationManager, _ ledger: Ledger,
        then: @escaping @Sendable () -> Void
    ) {
        let began = Moment.now
        let operation = operation(job, number, manager)
        operation.setCompletionBlock { operation, object in
            ledger.end(number, began: began, fault: fault(job, operation, object))
            then()
        } failure: { _, error in
            ledger.end(number, began: began, fault: error.message)
            then()
        }
        manager.operationQueue.addOperation(operation)
    }
}

// MARK: - What both forms share

extension BluebonnetClient {
    static func makeManager(_ concurrency: Int, _ authorityFile: String?) throws -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCount = concurrency
        configuration.maximumConcurrentTransferCountPerOrigin = concurrency
        configuration.transferOptions.maximumBodyByteCount = 1 << 40
        if let authorityFile {
            configuration.transferOptions.securityPolicy = try SecurityPolicy(certificateAuthorityFile: authorityFile)
        }
        return RequestOperationManager(configuration: configuration)
    }

    static func serializer(for job: Job) -> any ResponseSerializer {
        job.decodes ? DecodableResponseSerializer(Catalogue.self) : HTTPResponseSerializer()
    }

    static func operation(_ job: Job, _ number: Int, _ manager: RequestOperationManager) -> HTTPRequestOperation {
        let operation = manager.operation(with: job.request)
        if let file = job.outputFile(number) { operation.outputFile = file }
        if case .file(let file, _) = job.body { operation.uploadFile = file }
        return operation
    }

    /// What is wrong with an operation that succeeded.
    static func fault(_ job: Job, _ operation: HTTPRequestOperation, _ object: any Sendable) -> String? {
        let byteCount =
            job.outputFolder == nil ? (object as? Data).map { Int64($0.count) } : operation.receivedByteCount
        if job.decodes, object as? Catalogue == nil { return "the body was not decoded" }
        return job.fault(
            status: operation.response?.statusCode, byteCount: job.decodes ? operation.receivedByteCount : byteCount)
    }
}
