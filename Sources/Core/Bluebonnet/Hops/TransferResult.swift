// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The result of an operation's transfers, as the network thread passes it on. Values only, because it is passed
/// between threads.
struct TransferResult: Sendable {
    var request: HTTPRequest?
    /// The first request that was sent, before redirects and adapters; nil if nothing was sent.
    var first: HTTPRequest?
    var head: ResponseHead?
    var content = Content.none
    var error: NetworkingError?
    /// Why the body of a refused response is incomplete; its status is the error.
    var bodyError: NetworkingError?
    var receivedByteCount: Int64 = 0
    /// Whether the last response is the rest of a body that the library requested with a range: its 206 counts as a
    /// 200.
    var isContinued = false
    /// Whether the server received the credential and still answered 401.
    var isCredentialRefused = false
    /// An output file that received no body, because no accepted response arrived.
    var unusedFile: PartialFile?
    /// Whether the part that an earlier attempt left in `unusedFile` may be continued later.
    var keepsUnusedFile = false
    var summary = TransferSummary()
    /// The rest of the operation's time limit, in nanoseconds; nil without a limit.
    var timeLeft: UInt64?
    /// Why the request was not retried; nil without a retry policy, and after a success.
    var retryStop: RetryStop?
    /// The changes of the cache; nil if there are none.
    var cacheWork: CacheWork?
    /// The serializer at the time the request was sent; nil if the request was not made, and without a serializer.
    var serializer: ResolvedSerializer?
    var expectedDigest: String?
    /// The options at the time the request was sent; nil if the request was not made.
    var options: ResolvedOptions?

    /// Where the body is.
    enum Content: Sendable {
        case none
        case memory(Data)
        /// A body in a file, or pending for it, that has to be moved into place or given up.
        case file(PartialFile, canContinue: Bool)
        /// A body that was delivered to a stream as it arrived.
        case stream
        /// A body that was written to a device as it arrived.
        case device(DeviceFile)
    }
}

extension TransferResult {
    /// Makes the result of an operation that made no transfer.
    init(of prepared: PreparedRequest?, given: HTTPRequest?, error: NetworkingError?, summary: TransferSummary) {
        self.init(
            request: prepared?.request ?? given, first: prepared?.request, error: error, summary: summary,
            options: prepared?.plan.options)
    }

    /// Moves the complete body into place; in a folder, under the name that the response suggests.
    func moveIntoPlace(_ file: PartialFile) throws(NetworkingError) -> URL {
        let path = try file.moveIntoPlace(as: head.map(SuggestedFileName.name) ?? SuggestedFileName.fallback)
        if let place = file.callerURL { return place }
        return URL(fileURLWithPath: path, isDirectory: false)
    }
}

extension TransferResult {
    /// Keeps the files of a failed operation that can be continued, and removes the others. May block.
    func leaveFiles() {
        if case .file(let file, let canContinue) = content { file.leave(canContinue: canContinue) }
        unusedFile?.leave(canContinue: keepsUnusedFile)
    }
}

extension PartialFile {
    fileprivate func leave(canContinue: Bool) {
        keepOrRemove(canContinue: canContinue)
        unlock()
    }
}
