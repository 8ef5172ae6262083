// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking

/// Requests of several kinds, sent to each URL in turn.
struct Requests {
    let manager: RequestOperationManager
    let urls: [URL]
    /// The folder for downloads.
    let folder: URL
    let uploadFile: URL
    /// Called at the end of each request with status 200.
    let whenAnswered: @Sendable () -> Void

    func start(count: Int) {
        for number in 0..<count {
            manager.operationQueue.addOperation(operation(number))
        }
    }

    private func operation(_ number: Int) -> RequestOperation {
        var request = URLRequest(url: urls[number % urls.count])
        let kind = number / urls.count % 4
        if kind > 1 { request.httpMethod = "POST" }
        if kind == 2 { request.httpBody = Data(repeating: 65, count: 20_000) }
        let operation = manager.operation(with: request)
        if kind == 1 { operation.outputFile = folder.appendingPathComponent("\(number)") }
        if kind == 3 { operation.uploadFile = uploadFile }
        operation.completionBlock = { [weak operation, whenAnswered] in
            if operation?.statusCode == 200 { whenAnswered() }
        }
        return operation
    }
}
