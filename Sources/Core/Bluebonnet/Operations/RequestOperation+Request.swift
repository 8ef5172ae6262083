// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking

// What goes out, where what comes in goes, and the response.
extension RequestOperation {
    /// The operation's request. Once the operation is finished, the last request that was sent. Nil while a request
    /// that is made at the start has not been made.
    public var request: URLRequest? {
        (state.result?.request ?? state.plan.request)?.urlRequest
    }

    /// The request that the operation was made for, whatever was sent since. For a request that is made at the start:
    /// nil until the operation is finished, and nil when it could not be made.
    public var originalRequest: URLRequest? { (state.plan.request ?? state.result?.first)?.urlRequest }

    /// Limits, trust and proxy. Changes after the start have no effect.
    public var options: TransferOptions {
        get { state.plan.options.value }
        set { state.changePlan { $0.options = $0.options.changed(to: newValue) } }
    }

    /// The time limits. A part of `options`.
    public var timeouts: Timeouts {
        get { options.timeouts }
        set { changeOptions { $0.timeouts = newValue } }
    }

    /// When the request is sent again after a failure. A part of `options`. Default nil: never.
    public var retryPolicy: RetryPolicy? {
        get { options.retryPolicy }
        set { changeOptions { $0.retryPolicy = newValue } }
    }

    /// The `Idempotency-Key` field, the same for each attempt: with it a retry policy may send a POST again after any
    /// failure that may pass. It replaces a field of that name of the request. Set it before the start. Default nil.
    public var idempotencyKey: IdempotencyKey? {
        get { state.plan.idempotencyKey }
        set { state.changePlan { $0.idempotencyKey = newValue } }
    }

    /// The credential of some origins, which is applied to the operation's requests to them. A part of `options`.
    /// Default nil.
    public var authenticator: SharedAuthenticator? {
        get { options.authenticator }
        set { changeOptions { $0.authenticator = newValue } }
    }

    /// What changes the request before each of its transfers, in this order. A part of `options`. Default none.
    public var requestAdapters: [any RequestAdapter] {
        get { options.requestAdapters }
        set { changeOptions { $0.requestAdapters = newValue } }
    }

    /// The credential that answers a Basic or Digest challenge of the request's own origin, once. A part of `options`.
    /// Default nil.
    public var credential: URLCredential? {
        get { options.credential }
        set { changeOptions { $0.credential = newValue } }
    }

    /// Whether the operation asks the shared credential storage when it is challenged and `credential` is nil. A part
    /// of `options`. Default true.
    public var shouldUseCredentialStorage: Bool {
        get { options.usesCredentialStorage }
        set { changeOptions { $0.usesCredentialStorage = newValue } }
    }

    /// Decides which servers the operation trusts. A part of `options`.
    public var securityPolicy: SecurityPolicy {
        get { options.securityPolicy }
        set { changeOptions { $0.securityPolicy = newValue } }
    }

    /// The request's body stream, which is read on a queue of the library while it is sent. Its length has to be the
    /// request's `Content-Length`, otherwise the operation fails. Without that field the body is sent chunked.
    ///
    /// Setting the stream before the start replaces the request's body.
    public var inputStream: InputStream? {
        get { request?.httpBodyStream }
        set {
            let old = request
            guard var request = old else { return }
            request.httpBodyStream = newValue
            let changed = request
            state.changePlan { try? $0.setRequest(changed) }
        }
    }

    /// The stream that takes the body of an accepted response; `responseData` is nil then. The library opens it, writes
    /// to it on a queue of its own, and closes it at the end; do not use it in between. While a slow stream blocks, the
    /// connection is not read. A stream that does not take a piece in full fails the operation with `cannotWriteFile`.
    /// Set it before the start. Default nil.
    public var outputStream: OutputStream? {
        get { if case .stream(let stream) = state.plan.streamedOutput { stream.handedBack } else { nil } }
        set {
            let queue = DispatchQueue(label: "org.bluebonnet.output-stream")
            let stream = newValue.map { StreamOutput.stream(QueueBound($0, on: queue)) }
            state.changePlan { $0.streamedOutput = stream }
        }
    }

    /// A file that is sent as the body, streamed from disk. Set it before the start.
    ///
    /// The file overrides the request's `httpBody`. Default nil.
    public var uploadFile: URL? {
        get { state.plan.uploadFile }
        set { state.changePlan { $0.uploadFile = newValue } }
    }

    /// The file for the body of an accepted response; `responseData` is nil then. The body is written beside the file
    /// and moved into place when it is complete. Set it before the start. Default nil: the body is kept in memory.
    ///
    /// A URL that ends in a slash is a folder, which is made when it does not exist; the response names the file in it,
    /// as with `outputDirectory`. `URL(fileURLWithPath:)` adds the slash to the path of an existing folder.
    ///
    /// An existing file keeps its permissions. A character device, such as `/dev/null`, is written to as the body
    /// comes; a FIFO, a socket and a descriptor of the process (`/dev/stdout` of a file) are refused with
    /// `cannotOpenFile`.
    ///
    /// A partial body that an earlier attempt left is continued when the server confirms it with a strong validator.
    /// The partial body is in `NAME.bluebonnet-partial` while it grows; of a name over 231 bytes, in a file whose name
    /// is made of its digest. A body whose `Content-Length` is less than 64
    /// KiB has no name before it is complete, where the file system can do that, and leaves nothing when it fails.
    /// A cancelled operation leaves its partial body, as a failed operation does; `removePartialFile(of:)` removes it.
    ///
    /// While an operation writes to a file, the process's other operations for that file fail with `cannotOpenFile`;
    /// operations of other processes fail as soon as the partial body has its name.
    public var outputFile: URL? {
        get { state.plan.outputFile }
        set { state.changePlan { $0.outputFile = newValue } }
    }

    /// The file beside an `outputFile` in which a body stands while it is not complete, and after a failure when the
    /// part can be continued. It may not be there.
    public static func partialFile(of outputFile: URL) -> URL {
        URL(fileURLWithPath: PartialFile.partialPath(of: outputFile.path), isDirectory: false)
    }

    /// Removes what an operation that has ended left of an `outputFile` that is not to be continued.
    public static func removePartialFile(of outputFile: URL) {
        let path = PartialFile.partialPath(of: outputFile.path)
        for path in [path, PartialFile.recordPath(of: path)] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// A folder for the body of an accepted response. The body is written there under a temporary name, and gets the
    /// name that the response suggests when it is complete; `downloadedFile` is the file. Set the folder before the
    /// start; it must exist. Default nil. An operation that has an `outputFile` too fails with `invalidRequest`.
    ///
    /// Nothing is written outside of the folder, and no link in the folder is followed.
    public var outputDirectory: URL? {
        get { state.plan.files.outputDirectory.url }
        set { state.changePlan { $0.files.outputDirectory.url = newValue } }
    }

    /// What happens when a file with the suggested name exists already. Set it before the start.
    ///
    /// Default `number`: a name that a server chose replaces no existing file, and a long download does not fail
    /// because of such a file.
    public var existingFilePolicy: ExistingFilePolicy {
        get { state.plan.files.outputDirectory.policy }
        set { state.changePlan { $0.files.outputDirectory.policy = newValue } }
    }

    /// Values of the program; the library does not use them.
    public var userInfo: [String: any Sendable] {
        get { state.details.userInfo }
        set { state.changeDetails { $0.userInfo = newValue } }
    }

    private func changeOptions(_ change: (inout TransferOptions) -> Void) {
        var options = options
        change(&options)
        self.options = options
    }
}

// MARK: - The response

extension RequestOperation {
    /// The final response, from the arrival of its head on; nil before, and when none arrived. A response that is read
    /// early may still be followed by another one, when the operation is paused and has to start over.
    public var response: HTTPURLResponse? { responseHead?.urlResponse }

    /// The head of the final response, as `response` has it.
    public var responseHead: ResponseHead? { state.head }

    /// The status of the final response, from the arrival of its head on.
    public var statusCode: Int? { responseHead?.statusCode }

    /// The final response's header fields in the order of arrival, repeated fields included; empty before the head
    /// arrived.
    public var responseHeaders: HeaderFields { responseHead?.headers ?? HeaderFields() }

    /// The file with the body, once the operation has succeeded; nil when the body was not written to a file.
    public var downloadedFile: URL? { state.outcome?.value.downloadedFile }

    /// The name that the response suggests for its body, once the operation is finished: that of `Content-Disposition`
    /// (RFC 6266), else the last component of the URL's path, else `download`. Nil without a response.
    ///
    /// The name is one path component of at most 255 bytes and safe to use: no separators, no control characters, no
    /// leading dots, no name that Windows keeps for a device.
    public var suggestedFileName: String? { responseHead?.suggestedFileName }

    /// The HTTP version of the final response: `1.0`, `1.1` or `2`.
    public var httpVersion: String? { responseHead?.httpVersion }

    /// The decoded body, once the operation is finished; nil when there was none or it went to a file. After a failure
    /// or a cancellation: what had arrived of the body, also a part.
    public var responseData: Data? {
        guard case .memory(let data)? = state.outcome?.value.transfer.value.content else { return nil }
        return data
    }

    /// The encoding that the response's charset names, else the `stringEncoding` of an `HTTPResponseSerializer` or a
    /// `JSONResponseSerializer`, else UTF-8; nil before there is a response.
    public var responseStringEncoding: String.Encoding? {
        responseHead?.textEncoding(fallback: fallbackEncoding)
    }

    /// The body as text, in the encoding that a byte order mark says, else in `responseStringEncoding`; nil when it is
    /// not such text.
    public var responseString: String? {
        responseData.flatMap { responseHead?.text(of: $0, fallback: fallbackEncoding) }
    }

    private var fallbackEncoding: String.Encoding {
        switch state.plan.serializer?.serializer {
        case let serializer as HTTPResponseSerializer: serializer.stringEncoding
        case let serializer as JSONResponseSerializer: serializer.stringEncoding ?? .utf8
        default: .utf8
        }
    }

    /// Why the operation failed; nil while it runs and when it succeeded.
    public var error: NetworkingError? { state.outcome?.value.error }

    /// The number of body bytes that have arrived and were stored, after decoding. It is exact once the operation is
    /// finished, also when it failed, and before that brought up to date a few times a second.
    public var receivedByteCount: Int64 { state.progress.count }

    /// The number of body bytes that are expected in all, after decoding; -1 when it is not known.
    public var expectedByteCount: Int64 { state.progress.expected }

    /// The number of bytes of the request's body that were sent in the current transfer, brought up to date a few times
    /// a second.
    public var sentByteCount: Int64 { state.details.sent.count }

    /// The length of the request's body; -1 when it is not known, and before the first bytes were sent.
    public var expectedSentByteCount: Int64 { state.details.sent.expected }

    /// The attempts before the last one, in order, once the operation is finished: when each began, how it ended, how
    /// long the operation waited after it and why. Empty when there was one attempt, and without a `retryPolicy`. How
    /// the last attempt ended is the operation's own result.
    public var retries: [RetriedAttempt] { summary.retries }

    /// Attempts, redirects and timings, once the operation is finished.
    public var summary: TransferSummary { state.outcome?.value.transfer.value.summary ?? TransferSummary() }
}

// MARK: - Notifications

extension RequestOperation {
    /// Whether operations post `didStartNotification` and `didFinishNotification`. Default false; the first read of one
    /// of the two names in a process makes it true.
    ///
    /// The posts of a request would take a tenth of its time, and Foundation does not say whether somebody observes. An
    /// observer who gets the name from here need do nothing. For one who writes the name as text, set this to true
    /// before the first request.
    ///
    /// ```swift
    /// RequestOperation.postsNotifications = true
    /// let name = Notification.Name("com.alamofire.networking.operation.start")
    /// let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { print($0.name) }
    /// ```
    public static var postsNotifications: Bool {
        get { OperationNotification.isObserved }
        set { OperationNotification.isObserved = newValue }
    }

    /// Posted when an operation starts, and when it goes on after a pause; the object is the operation. Posted off the
    /// network thread. The name is AFNetworking's, `com.alamofire.networking.operation.start`. Reading it makes
    /// `postsNotifications` true.
    public static var didStartNotification: Notification.Name { OperationNotification.start.observedName }

    /// Posted when an operation is finished, and when it is paused; the object is the operation. Posted off the network
    /// thread. The name is AFNetworking's, `com.alamofire.networking.operation.finish`. Reading it makes
    /// `postsNotifications` true.
    public static var didFinishNotification: Notification.Name { OperationNotification.finish.observedName }
}
