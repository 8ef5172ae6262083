// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking
internal import Synchronization

// What goes out, and where what comes in goes.
extension RequestOperation {
    /// The operation's request. Once the operation is finished, the last request that was sent. Nil while a request
    /// that is made at the start has not been made.
    public var request: URLRequest? {
        shared.withLock { state in
            if let last = state.result?.request { return last }
            if case .ready(let request) = state.source { return request }
            return nil
        }
    }

    /// The request as it was given, if it was.
    var readyRequest: URLRequest? {
        shared.withLock { state in
            if case .ready(let request) = state.source { return request }
            return nil
        }
    }

    /// Limits, trust and proxy. Changes after the start have no effect.
    public var options: TransferOptions {
        get { shared.withLock { $0.options } }
        set { replace(\.options, with: newValue) }
    }

    /// The credential that answers a Basic or Digest challenge of the request's own origin, once. A part of `options`.
    /// Default nil.
    public var credential: URLCredential? {
        get { options.credential }
        set { replace(\.options.credential, with: newValue) }
    }

    /// Whether the operation asks the shared credential storage when it is challenged and `credential` is nil. A part
    /// of `options`. Default true.
    public var shouldUseCredentialStorage: Bool {
        get { options.usesCredentialStorage }
        set { replace(\.options.usesCredentialStorage, with: newValue) }
    }

    /// Decides which servers the operation trusts. A part of `options`.
    public var securityPolicy: SecurityPolicy {
        get { options.securityPolicy }
        set { replace(\.options.securityPolicy, with: newValue) }
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
            replace(\.source, with: .ready(request))
        }
    }

    /// The stream that takes the body of an accepted response; `responseData` is nil then. The library opens it, writes
    /// to it on a queue of its own, and closes it at the end; do not use it in between. While a slow stream blocks, the
    /// connection is not read. A stream that does not take a piece in full fails the operation with `cannotWriteFile`.
    /// Set it before the start. Default nil.
    public var outputStream: OutputStream? {
        get { shared.withLock { $0.extras.outputStream }?.handedBack }
        set {
            let queue = DispatchQueue(label: "org.bluebonnet.output-stream")
            replace(\.extras.outputStream, with: newValue.map { QueueBound($0, on: queue) })
        }
    }

    /// A file that is sent as the body, streamed from disk. Set it before the start.
    ///
    /// The file overrides the request's `httpBody`. Default nil.
    public var uploadFile: URL? {
        get { shared.withLock { $0.extras.uploadFile } }
        set { replace(\.extras.uploadFile, with: newValue) }
    }

    /// The file for the body of an accepted response; `responseData` is nil then. The body is written beside the file
    /// and moved into place when it is complete. Set it before the start. Default nil: the body is kept in memory.
    ///
    /// A URL that ends in a slash is a folder, which is made when it does not exist; the response names the file in it,
    /// as with `outputDirectory`. `URL(fileURLWithPath:)` adds the slash to the path of an existing folder.
    ///
    /// A partial body that an earlier attempt left is continued when the server confirms it with a strong validator.
    /// The partial body is in `NAME.bluebonnet-partial` while it grows. A body whose `Content-Length` is less than 64
    /// KiB has no name before it is complete, where the file system can do that, and leaves nothing when it fails.
    /// While an operation writes to a file, the process's other operations for that file fail with `cannotOpenFile`;
    /// those of other processes do so as soon as the partial body has its name.
    public var outputFile: URL? {
        get { shared.withLock { $0.extras.outputFile } }
        set { replace(\.extras.outputFile, with: newValue) }
    }

    /// A folder for the body of an accepted response. The body is written there under a temporary name, and gets the
    /// name that the response suggests when it is complete; `downloadedFile` is the file. Set the folder before the
    /// start; it must exist. Default nil. An operation that has an `outputFile` too fails with `invalidRequest`.
    ///
    /// Nothing is written outside of the folder, and no link in the folder is followed.
    public var outputDirectory: URL? {
        get { shared.withLock { $0.extras.outputDirectory.url } }
        set { shared.withLock { $0.extras.outputDirectory.url = newValue } }
    }

    /// What happens when a file with the suggested name exists already. Set it before the start.
    ///
    /// Default `number`: a name that a server chose replaces no existing file, and a long download does not fail
    /// because of such a file.
    public var existingFilePolicy: ExistingFilePolicy {
        get { shared.withLock { $0.extras.outputDirectory.policy } }
        set { shared.withLock { $0.extras.outputDirectory.policy = newValue } }
    }

    /// Values of the program; the library does not use them.
    public var userInfo: [String: any Sendable] {
        get { shared.withLock { $0.extras.userInfo } }
        set { replace(\.extras.userInfo, with: newValue) }
    }
}
