// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import FoundationNetworking

/// Everything of an operation that threads share; guarded by the operation's one lock. Values and references only:
/// nothing is called while the lock is held.
struct RequestOperationState: Sendable {
    var lifecycle = OperationLifecycle()
    var source: RequestSource
    var options: TransferOptions
    var uploadFile: URL?
    var outputFile: URL?
    var outputDirectory = OutputDirectory()
    var outputStream: QueueBound<OutputStream>?
    var chunkChannel: BodyChannel?
    var blocks = OperationBlocks()
    /// It is a copy: its request's body stream is another operation's too.
    var needsNewBodyStream = false
    /// What an archive brought of the body.
    var continuation: ArchivedPart?
    var userInfo: [String: any Sendable] = [:]

    /// What a request that was made late brought along.
    var lateSerializer: (any ResponseSerializer)?
    var lateValidation: ResponseValidation?
    var lateExpectedDigest: String?
    /// Called once, when the operation is first started, by whatever thread starts it: it must be short.
    var startHandler: (@Sendable (RequestOperation) -> Void)?

    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var completionBlock: (@Sendable () -> Void)?
    var uploadProgress: RequestOperation.ProgressHandler?
    var downloadProgress: RequestOperation.ProgressHandler?
    /// Made when somebody asks for them.
    var uploadReport: Progress?
    var downloadReport: Progress?
    /// Run once after the operation is finished, in this order, and let go.
    var completionHandlers: [RequestOperation.CompletionHandler] = []
    /// The batch's part, after every handler of the user's.
    var batchHandlers: [RequestOperation.CompletionHandler] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The handlers have been taken: one that comes later runs at once.
    var isDelivered = false

    var node = DependencyNode()
    /// Told when the operation becomes ready or finished; let go then, and kept until then as Foundation keeps it.
    var queue: RequestOperationQueue?

    /// What the network thread handed over; processing turns it into the outcome.
    var transferResult: TransferResult?
    var outcome: OperationOutcome?
    var response: HTTPURLResponse?

    init(source: RequestSource, options: TransferOptions) {
        self.source = source
        self.options = options
    }
}

/// How an operation ended.
struct OperationOutcome: Sendable {
    var result: TransferResult
    var error: NetworkingError?
    /// The serialized response of one that succeeded.
    var value: (any Sendable)?
    /// The file that the body was moved to.
    var downloadedFile: URL?
    /// SHA-256 of the body, in hexadecimal, when it was asked for.
    var digest: String?

    init(_ result: TransferResult, error: NetworkingError? = nil, value: (any Sendable)? = nil) {
        self.result = result
        self.error = error ?? result.error
        self.value = value
    }
}

// MARK: - Handlers that are of no use after the end

extension RequestOperationState {
    var settableCompletionBlock: (@Sendable () -> Void)? {
        get { completionBlock }
        set { completionBlock = isDelivered ? nil : newValue }
    }

    var settableUploadProgress: RequestOperation.ProgressHandler? {
        get { uploadProgress }
        set { uploadProgress = isDelivered ? nil : newValue }
    }

    var settableDownloadProgress: RequestOperation.ProgressHandler? {
        get { downloadProgress }
        set { downloadProgress = isDelivered ? nil : newValue }
    }
}
