// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks

/// Waits for the head of an operation's accepted response.
final class HeadArrival: Sendable {
    private typealias Result = Swift.Result<ResponseHead, NetworkingError>

    private struct State {
        var result: Result?
        var waiter: CheckedContinuation<Result, Never>?
    }

    private let operation: HTTPRequestOperation
    private let state = Mutex(State())

    /// - Parameter operation: not yet started.
    init(of operation: HTTPRequestOperation) {
        self.operation = operation
        let earlier = operation.onResponse
        operation.onResponse = { [weak self] owner, head in
            let disposition = await earlier?(owner, head) ?? .allow
            let isAccepted = (owner as? HTTPRequestOperation)?.accepts(status: head.statusCode) == true
            if isAccepted, disposition != .cancel { self?.end(.success(head)) }
            return disposition
        }
        operation.addCompletionHandler { [weak self] operation in
            guard let self else { return }
            if let head = operation.responseHead, operation.error == nil { return end(.success(head)) }
            end(.failure(operation.error ?? NetworkingError(.badServerResponse, "the operation has no response")))
        }
    }

    /// Returns the head. Cancelling the task cancels the operation.
    func head() async throws(NetworkingError) -> ResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let known = state.withLock { state in
                    if state.result == nil { state.waiter = waiter }
                    return state.result
                }
                if let known { waiter.resume(returning: known) }
            }
        } onCancel: {
            operation.cancel()
        }
        return try result.get()
    }

    private func end(_ result: Result) {
        let waiter = state.withLock { state in
            if state.result == nil { state.result = result }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: result)
    }
}
