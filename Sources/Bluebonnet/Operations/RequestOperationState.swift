// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import FoundationNetworking

/// The state of an operation, guarded by its lock. Values and references only: nothing is called while the lock is
/// held.
struct RequestOperationState: Sendable {
    var lifecycle = OperationLifecycle()
    /// The end has been told. A handler that comes later runs at once, or with the others while those are on their way.
    var isDelivered = false
    var hasHandlersOnTheirWay = false
    /// What its batch says of dependencies that do not succeed, whatever their edges say.
    var dependencyPolicy: FailedDependencyPolicy?
    var source: RequestSource
    var resolvedOptions: ResolvedOptions
    /// Nil while the operation has none of them.
    private(set) var boxedExtras: Box<OperationExtras>?

    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var completionBlock: (@Sendable () -> Void)?
    /// Handlers that run once after the operation is finished, in this order, and are released then.
    var completionHandlers = SmallList<RequestOperation.CompletionHandler>()
    /// The batch's part, after every handler of the user's.
    var batchHandlers = SmallList<RequestOperation.CompletionHandler>()
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// The flow of the operation's batch in fair queueing; 0 without a batch.
    var flow = 0
    /// When it was ready in its queue, if it is in one, when it was started and when it was finished, by the monotonic
    /// clock; 0 before.
    var readyInstant: UInt64 = 0
    var startInstant: UInt64 = 0
    var finishInstant: UInt64 = 0
    /// The body's bytes so far, as progress was told of them; what is expected is -1 when it is not known.
    var received = ByteProgress()

    /// The queue to tell when the operation becomes ready or finished; kept alive until then, as Foundation does.
    var queue: RequestOperationQueue?

    /// What the network thread handed over; processing turns it into the outcome.
    var transferResult: Box<TransferResult>?
    var sharedOutcome: Box<OperationOutcome>?
    var response: HTTPURLResponse?

    var options: TransferOptions {
        get { resolvedOptions.value }
        set { resolvedOptions = ResolvedOptions(newValue) }
    }

    var extras: OperationExtras {
        get { boxedExtras?.value ?? OperationExtras() }
        set { boxedExtras = Box(newValue) }
    }

    /// The operation's flow in fair queueing: its batch's, else its queue's, else 0.
    var flowID: Int { flow != 0 ? flow : queue?.number ?? 0 }

    var outcome: OperationOutcome? { sharedOutcome?.value }

    /// Why it failed, once it is finished.
    var outcomeError: NetworkingError? { sharedOutcome?.value.error }

    /// What the outcome says of the transfers.
    var result: TransferResult? { sharedOutcome?.value.transfer.value }
}

/// Where completion handlers run.
struct CompletionPlace: Sendable {
    var queue: DispatchQueue?
    var group: DispatchGroup?
}

/// State that few operations have; the others need no memory for it.
struct OperationExtras: Sendable {
    var uploadFile: URL?
    var outputFile: URL?
    var outputDirectory = OutputDirectory()
    var outputStream: QueueBound<OutputStream>?
    var chunkPipe: BodyPipe?
    var blocks = OperationBlocks()
    /// It is a copy: its request's body stream is another operation's too.
    var needsNewBodyStream = false
    /// What an archive brought of the body.
    var continuation: ArchivedPart?
    var userInfo: [String: any Sendable] = [:]
    /// What a request that was made late brought along.
    var late = LateParts()
    /// Called once, when the operation is first started, by whatever thread starts it: it must be short.
    var startHandler: (@Sendable (RequestOperation) -> Void)?
    var uploadProgress: RequestOperation.ProgressHandler?
    var downloadProgress: RequestOperation.ProgressHandler?
    /// Made when somebody asks for them.
    var uploadReport: Progress?
    var downloadReport: Progress?
    /// A phrase for the first failure of the chain, when the operation was skipped.
    var skipCause: String?
    /// Says more of a cancellation than that there was one.
    var cancelMessage: String?
}

/// What a request that was made late brought along for its response.
struct LateParts: Sendable {
    var serializer: ResolvedSerializer?
    var expectedDigest: String?
}

/// Bytes that have moved, and how many there are in all: -1 when that is not known.
package struct ByteProgress: Sendable {
    package var count: Int64 = 0
    package var expected: Int64 = -1
}

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

extension RequestOperationState {
    /// Takes what may hold other operations, for those that nobody started.
    mutating func takeClosures() -> [any Sendable] {
        var taken: [any Sendable] = [source, completionHandlers, batchHandlers]
        taken += [completionBlock, boxedExtras] as [any Sendable]
        (source, completionBlock, boxedExtras) = (.used, nil, nil)
        (completionHandlers, batchHandlers) = (SmallList(), SmallList())
        return taken
    }
}

// MARK: - Handlers that are of no use after the end

extension RequestOperationState {
    var settableCompletionBlock: (@Sendable () -> Void)? {
        get { isDelivered ? nil : completionBlock }
        set { if !isDelivered { completionBlock = newValue } }  // the one that is about to run stays
    }

    var settableUploadProgress: RequestOperation.ProgressHandler? {
        get { extras.uploadProgress }
        set { extras.uploadProgress = isDelivered ? nil : newValue }
    }

    var settableDownloadProgress: RequestOperation.ProgressHandler? {
        get { extras.downloadProgress }
        set { extras.downloadProgress = isDelivered ? nil : newValue }
    }
}
