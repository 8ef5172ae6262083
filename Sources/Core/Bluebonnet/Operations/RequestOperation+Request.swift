// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking

// The request, the destination of the response body, and the response.
extension RequestOperation {
    /// The operation's request. Once the operation is finished, the last request that was sent. Nil while a request
    /// that is made at the start has not been made.
    public var request: URLRequest? {
        (state.result?.request ?? state.plan.request)?.urlRequest
    }

    /// The request that the operation was made for, whatever was sent since. A request that is made at the start is nil
    /// until the operation is finished, and nil if it could not be made.
    public var originalRequest: URLRequest? { (state.plan.request ?? state.result?.first)?.urlRequest }

    /// Limits, trust and proxy. Changes after the start have no effect.
    public var options: TransferOptions {
        get { state.plan.options.value }
        set { state.changePlan { $0.options = $0.options.changed(to: newValue) } }
    }

    /// The time limits. Part of `options`.
    public var timeouts: Timeouts {
        get { options.timeouts }
        set { changeOptions { $0.timeouts = newValue } }
    }

    /// How stored responses are used. Part of `options`. Default `useProtocol`.
    public var cachePolicy: CachePolicy {
        get { options.cachePolicy }
        set { changeOptions { $0.cachePolicy = newValue } }
    }

    /// Decides when the request is retried after a failure. Part of `options`. Default nil: never.
    public var retryPolicy: RetryPolicy? {
        get { options.retryPolicy }
        set { changeOptions { $0.retryPolicy = newValue } }
    }

    /// The `Idempotency-Key` field, the same for each attempt. With this field a retry policy may retry a POST after
    /// any failure that may be temporary. It replaces the request's own field of that name. Set it before the start.
    /// Default nil.
    public var idempotencyKey: IdempotencyKey? {
        get { state.plan.idempotencyKey }
        set { state.changePlan { $0.idempotencyKey = newValue } }
    }

    /// Provides the credential of some origins, which is applied to the operation's requests to those origins. Part of
    /// `options`. Default nil.
    public var authenticator: SharedAuthenticator? {
        get { options.authenticator }
        set { changeOptions { $0.authenticator = newValue } }
    }

    /// The adapters that change the request before each of its transfers, in this order. Part of `options`. Default
    /// empty.
    public var requestAdapters: [any RequestAdapter] {
        get { options.requestAdapters }
        set { changeOptions { $0.requestAdapters = newValue } }
    }

    /// Adds a monitor that receives the events of this operation, in addition to the manager's monitors. Add it before
    /// the operation is added to a queue or started; later calls have no effect.
    public func addEventMonitor(_ monitor: any EventMonitor) {
        changeOptions { $0.eventMonitors.append(monitor) }
    }

    /// The credential that answers a Basic or Digest challenge of the request's own origin, once. Part of `options`.
    /// Default nil.
    public var credential: URLCredential? {
        get { options.credential }
        set { changeOptions { $0.credential = newValue } }
    }

    /// Whether the operation uses the shared credential storage if it is challenged and `credential` is nil. Part of
    /// `options`. Default true.
    public var shouldUseCredentialStorage: Bool {
        get { options.usesCredentialStorage }
        set { changeOptions { $0.usesCredentialStorage = newValue } }
    }

    /// Decides which servers the operation trusts. Part of `options`.
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

    /// The stream that receives the body of an accepted response; `responseData` is then nil. The library opens the
    /// stream, writes to it on a separate queue, and closes it at the end; do not use it in between. While a slow
    /// stream blocks, the connection is not read. If the stream does not accept a piece completely, the operation fails
    /// with `cannotWriteFile`. Set it before the start. Default nil.
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

    /// The file for the body of an accepted response; `responseData` is then nil. The body is written to a partial file
    /// in the same folder, and moved into place when it is complete. Set it before the start. Default nil: the body is
    /// stored in memory.
    ///
    /// A URL that ends in a slash is a folder, which is created if it does not exist. The response names the file in
    /// the folder, as with `outputDirectory`. `URL(fileURLWithPath:)` adds the slash to the path of an existing folder.
    ///
    /// An existing file keeps its permissions. A character device, such as `/dev/null`, is written to as the body
    /// arrives. A FIFO, a socket and a descriptor of the process (`/dev/stdout` of a file) are refused with
    /// `cannotOpenFile`.
    ///
    /// A partial body of an earlier attempt is continued if the server confirms it with a strong validator. While it
    /// grows, the partial body is in `NAME.bluebonnet-partial`; for a name longer than 231 bytes, in a file whose name
    /// is made from the name's digest. If the file system supports it, a body whose `Content-Length` is less than
    /// 64 KiB has no name before it is complete, and leaves nothing after a failure. A cancelled operation leaves its
    /// partial body, like a failed operation; `removePartialFile(of:)` removes it.
    ///
    /// While an operation writes to a file, the process's other operations for that file fail with `cannotOpenFile`.
    /// Operations of other processes fail as soon as the partial body has its name.
    public var outputFile: URL? {
        get { state.plan.outputFile }
        set { state.changePlan { $0.outputFile = newValue } }
    }

    /// Returns the partial file in the folder of an `outputFile`. It contains an incomplete body, and after a failure
    /// the part that can be continued. The file may not exist.
    public static func partialFile(of outputFile: URL) -> URL {
        URL(fileURLWithPath: PartialFile.partialPath(of: outputFile.path), isDirectory: false)
    }

    /// Removes the partial file that an ended operation has left for an `outputFile`, so that it is not continued.
    public static func removePartialFile(of outputFile: URL) {
        let path = PartialFile.partialPath(of: outputFile.path)
        for path in [path, PartialFile.recordPath(of: path)] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// A folder for the body of an accepted response. The body is written there under a temporary name, and gets the
    /// name that the response suggests when it is complete; `downloadedFile` is the file. Set the folder before the
    /// start; it must exist. Default nil. An operation that also has an `outputFile` fails with `invalidRequest`.
    ///
    /// Nothing is written outside the folder, and links in the folder are not followed.
    public var outputDirectory: URL? {
        get { state.plan.files.outputDirectory.url }
        set { state.changePlan { $0.files.outputDirectory.url = newValue } }
    }

    /// Decides what happens if a file with the suggested name already exists. Set it before the start.
    ///
    /// Default `number`: a name that a server chose replaces no existing file, and a long download does not fail
    /// because of such a file.
    public var existingFilePolicy: ExistingFilePolicy {
        get { state.plan.files.outputDirectory.policy }
        set { state.changePlan { $0.files.outputDirectory.policy = newValue } }
    }

    /// Values of the program. The library does not use them.
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
    /// The final response, from the arrival of its head on; nil before, and if no response arrived. A response that is
    /// read early may be replaced by another response if the operation is paused and has to start over.
    public var response: HTTPURLResponse? { responseHead?.urlResponse }

    /// The head of `response`.
    public var responseHead: ResponseHead? { state.head }

    /// The status of the final response, from the arrival of its head on.
    public var statusCode: Int? { responseHead?.statusCode }

    /// The final response's header fields in the order of arrival, including repeated fields; empty before the head
    /// arrives.
    public var responseHeaders: HeaderFields { responseHead?.headers ?? HeaderFields() }

    /// The file with the body, once the operation has succeeded; nil if the body was not written to a file.
    public var downloadedFile: URL? { state.outcome?.value.downloadedFile }

    /// The name that the response suggests for its body, once the operation is finished: the name in
    /// `Content-Disposition` (RFC 6266), else the last component of the URL's path, else `download`. Nil without a
    /// response.
    ///
    /// The name is one path component of at most 255 bytes and is safe to use: no separators, no control characters, no
    /// leading dots, no name that Windows reserves for a device.
    public var suggestedFileName: String? { responseHead?.suggestedFileName }

    /// The HTTP version of the final response: `1.0`, `1.1` or `2`.
    public var httpVersion: String? { responseHead?.httpVersion }

    /// The decoded body, once the operation is finished; nil if there was no body or it was written to a file. After a
    /// failure or a cancellation: the received part of the body.
    public var responseData: Data? {
        guard case .memory(let data)? = state.outcome?.value.transfer.value.content else { return nil }
        return data
    }

    /// The encoding that the response's charset names, else the `stringEncoding` of an `HTTPResponseSerializer` or a
    /// `JSONResponseSerializer`, else UTF-8; nil before the response arrives.
    public var responseStringEncoding: String.Encoding? {
        responseHead?.textEncoding(fallback: fallbackEncoding)
    }

    /// The body as text, in the encoding of its byte order mark, else in `responseStringEncoding`; nil if the body is
    /// not valid in that encoding.
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

    /// Why the operation failed; nil while it runs and if it succeeded.
    public var error: NetworkingError? { state.outcome?.value.error }

    /// The number of body bytes that have arrived and were stored, after decoding. The number is exact once the
    /// operation is finished, even after a failure. Before that it is updated a few times per second.
    public var receivedByteCount: Int64 { state.progress.count }

    /// The expected total number of body bytes, after decoding; -1 if it is not known.
    public var expectedByteCount: Int64 { state.progress.expected }

    /// The number of bytes of the request body that were sent in the current transfer, updated a few times per second.
    public var sentByteCount: Int64 { state.details.sent.count }

    /// The length of the request body; -1 if it is not known, and before the first bytes were sent.
    public var expectedSentByteCount: Int64 { state.details.sent.expected }

    /// The attempts before the last attempt, in order, once the operation is finished: when each attempt began, how it
    /// ended, and how long and why the operation waited afterwards. Empty if there was one attempt, and without a
    /// `retryPolicy`. The result of the last attempt is the operation's result.
    public var retries: [RetriedAttempt] { summary.retries }

    /// Attempts, redirects and timings, once the operation is finished.
    public var summary: TransferSummary { state.outcome?.value.transfer.value.summary ?? TransferSummary() }
}

// MARK: - Notifications

extension RequestOperation {
    /// Whether operations post `didStartNotification` and `didFinishNotification`. Default false; the first read of one
    /// of the two names in a process sets it to true.
    ///
    /// The posts of a request would take a tenth of its time, and Foundation does not say whether there are observers.
    /// An observer that reads the name from these properties need do nothing. For an observer that writes the name as
    /// text, set this property to true before the first request.
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

    /// Posted when an operation starts, and when it continues after a pause; the object is the operation. Posted off
    /// the network thread. The name is AFNetworking's, `com.alamofire.networking.operation.start`. Reading it sets
    /// `postsNotifications` to true.
    public static var didStartNotification: Notification.Name { OperationNotification.start.observedName }

    /// Posted when an operation is finished, and when it is paused; the object is the operation. Posted off the network
    /// thread. The name is AFNetworking's, `com.alamofire.networking.operation.finish`. Reading it sets
    /// `postsNotifications` to true.
    public static var didFinishNotification: Notification.Name { OperationNotification.finish.observedName }
}
