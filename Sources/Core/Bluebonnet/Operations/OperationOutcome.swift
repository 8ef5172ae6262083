// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// How an operation ended.
struct OperationOutcome: Sendable {
    var transfer: Box<TransferResult>
    var error: NetworkingError?
    /// The serialized response, if the operation succeeded.
    var value: (any Sendable)?
    /// The file that the body was moved to.
    var downloadedFile: URL?
    /// SHA-256 of the body, in hexadecimal, if it was requested.
    var digest: String?

    /// - Parameter error: the operation's error; nil means the error of the transfers.
    init(
        _ transfer: Box<TransferResult>, error: NetworkingError? = nil, value: (any Sendable)? = nil,
        downloadedFile: URL? = nil, digest: String? = nil
    ) {
        self.transfer = transfer
        self.error = error ?? transfer.value.error
        self.value = value
        self.downloadedFile = downloadedFile
        self.digest = digest
    }
}

/// Where completion handlers run.
struct CompletionTarget: Sendable {
    var queue: DispatchQueue?
    var group: DispatchGroup?
}

/// The number of bytes transferred so far, and the total number; -1 if the total is not known.
package struct ByteProgress: Sendable {
    package var count: Int64 = 0
    package var expected: Int64 = -1
}

/// The effect of an event on the state. Observers are notified of the change, because they cannot learn of it
/// otherwise.
struct LifecycleChange {
    let before: OperationLifecycle
    let after: OperationLifecycle
    let wasReady: Bool
    let isReady: Bool
    let isInQueue: Bool
    /// The start handler, if the operation has just been started and has one. Called once, outside the lock.
    let startHandler: (@Sendable (RequestOperation) -> Void)?

    var changesExecuting: Bool { before.isExecuting != after.isExecuting }
    /// Whether observers must be notified of readiness. A queue is only notified of an operation that may be started; a
    /// cancelled operation is notified again, because it is started first.
    var changesReadiness: Bool {
        if isInQueue { return isReady && (!wasReady || after.isCancelled && !before.isCancelled) }
        return wasReady != isReady || isReady && after.isCancelled && !before.isCancelled
    }

    /// Stores the notification of the change, inside the lock: a start is posted before the finish that follows it,
    /// whichever thread is faster. The final finish notification is stored on delivery.
    ///
    /// - Returns: whether the posts have to be scheduled, outside the lock.
    func keepNotification(about operation: Operation) -> Bool {
        guard changesExecuting, !after.isFinished else { return false }
        let notification: OperationNotification = after.isExecuting ? .start : .finish
        return notification.keep(about: operation)
    }
}

extension RequestEvent.OperationEnd {
    init(_ outcome: OperationOutcome) {
        let result = outcome.transfer.value
        self.init(
            errorCode: outcome.error?.code, statusCode: result.head?.statusCode,
            receivedByteCount: result.receivedByteCount, summary: result.summary)
    }
}
