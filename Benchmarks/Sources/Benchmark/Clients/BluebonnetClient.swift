// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Dispatch
import Foundation
import FoundationNetworking

/// Bluebonnet as a user would call it: all operations at once into the manager's queue, with one completion.
///
/// Making the operations, looking at their answers and letting them go is part of the work.
final class BluebonnetClient: Client {
    private let manager: RequestOperationManager

    init(concurrency: Int) {
        var configuration = RequestOperationManager.Configuration()
        configuration.maximumConcurrentTransferCount = concurrency
        configuration.maximumConcurrentTransferCountPerOrigin = concurrency
        manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
    }

    func run(_ work: Work) throws {
        let request = URLRequest(url: work.url)
        let operations = (0..<work.requestCount).map { _ in manager.operation(with: request) }
        if let path = work.outputPath { operations.first?.outputFile = URL(fileURLWithPath: path) }
        let done = DispatchSemaphore(value: 0)
        manager.enqueueBatch(of: operations, completion: { _ in done.signal() })
        done.wait()
        for operation in operations { try check(operation, work) }
    }

    func closeIdleConnections() {
        manager.closeIdleConnections()
        // What is given to the network thread runs in order.
        let done = DispatchSemaphore(value: 0)
        NetworkThread.shared.perform { _ in done.signal() }
        done.wait()
    }

    private func check(_ operation: HTTPRequestOperation, _ work: Work) throws {
        let storedCount = work.outputPath == nil ? Int64(operation.responseData?.count ?? -1) : work.byteCount
        guard operation.statusCode == 200, storedCount == work.byteCount,
            operation.receivedByteCount == work.byteCount, operation.error == nil
        else {
            let reason = operation.error.map { $0.message } ?? "\(operation.receivedByteCount) bytes"
            throw BenchmarkError("Bluebonnet: \(operation): \(reason); expected 200 with \(work.byteCount) bytes")
        }
    }
}
