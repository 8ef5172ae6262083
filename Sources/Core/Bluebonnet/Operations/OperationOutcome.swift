// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// How an operation ended.
struct OperationOutcome: Sendable {
    var transfer: Box<TransferResult>
    var error: NetworkingError?
    /// The serialized response of one that succeeded.
    var value: (any Sendable)?
    /// The file that the body was moved to.
    var downloadedFile: URL?
    /// SHA-256 of the body, in hexadecimal, when it was asked for.
    var digest: String?

    /// - Parameter error: default what the transfers ended with.
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
struct CompletionPlace: Sendable {
    var queue: DispatchQueue?
    var group: DispatchGroup?
}

/// Bytes that have moved, and how many there are in all: -1 when that is not known.
package struct ByteProgress: Sendable {
    package var count: Int64 = 0
    package var expected: Int64 = -1
}

/// What an event changed: others are told of it, because they have no other way to learn of a change.
struct LifecycleChange {
    let before: OperationLifecycle
    let after: OperationLifecycle
    let wasReady: Bool
    let isReady: Bool
    let isInQueue: Bool
    /// It has just been started, and somebody wants to know: called once, outside the lock.
    let startHandler: (@Sendable (RequestOperation) -> Void)?

    var changesExecuting: Bool { before.isExecuting != after.isExecuting }
    /// A queue is told of what may be started; a cancelled operation goes first.
    var changesReadiness: Bool {
        if isInQueue { return isReady && (!wasReady || after.isCancelled && !before.isCancelled) }
        return wasReady != isReady || isReady && after.isCancelled && !before.isCancelled
    }

    /// Keeps the notification of the change, inside the lock: a start is posted before the finish that follows it,
    /// whichever thread is faster. The finish at the end comes with delivery.
    ///
    /// - Returns: whether the posts have to be scheduled, outside the lock.
    func keepNotification(about operation: Operation) -> Bool {
        guard changesExecuting, !after.isFinished else { return false }
        let notification: OperationNotification = after.isExecuting ? .start : .finish
        return notification.keep(about: operation)
    }
}
