// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking
internal import Synchronization

// What goes out, and where what comes in goes.
extension RequestOperation {
    /// The request: as it was given, or as it was made, or the last one sent once the operation is finished.
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

    /// Limits, trust and proxy; they count when the operation starts.
    public var options: TransferOptions {
        get { shared.withLock { $0.options } }
        set { replace(\.options, with: newValue) }
    }

    /// Answers a Basic or Digest challenge of the request's own origin, once; a part of `options`. Default nil.
    public var credential: URLCredential? {
        get { options.credential }
        set { replace(\.options.credential, with: newValue) }
    }

    /// Whether the shared credential storage is asked when a challenge comes and `credential` is nil; a part of
    /// `options`. Default true.
    public var shouldUseCredentialStorage: Bool {
        get { options.usesCredentialStorage }
        set { replace(\.options.usesCredentialStorage, with: newValue) }
    }

    /// Whom to trust; a part of `options`.
    public var securityPolicy: SecurityPolicy {
        get { options.securityPolicy }
        set { replace(\.options.securityPolicy, with: newValue) }
    }

    /// The request's body stream, read on a queue of the library's as it is sent. Its length is what the request's
    /// `Content-Length` says: a stream that breaks that is an error. Without one it is sent in chunks.
    ///
    /// Setting it before the start replaces the request's body.
    public var inputStream: InputStream? {
        get { request?.httpBodyStream }
        set {
            let old = request
            guard var request = old else { return }
            request.httpBodyStream = newValue
            replace(\.source, with: .ready(request))
        }
    }

    /// Where the body of an accepted response goes instead of into memory, written on a queue of the library's while
    /// the connection waits for a slow one; it counts when the operation starts. `responseData` is nil then. A piece
    /// that the stream does not take in full fails the operation with `cannotWriteFile`. The stream is opened, and
    /// closed at the end; leave it alone in between. Default nil.
    public var outputStream: OutputStream? {
        get { shared.withLock { $0.extras.outputStream }?.handedBack }
        set {
            let queue = DispatchQueue(label: "org.bluebonnet.output-stream")
            replace(\.extras.outputStream, with: newValue.map { QueueBound($0, on: queue) })
        }
    }

    /// A file to send as the body, streamed from disk; it counts when the operation starts.
    ///
    /// Overrides the request's `httpBody`. Default nil.
    public var uploadFile: URL? {
        get { shared.withLock { $0.extras.uploadFile } }
        set { replace(\.extras.uploadFile, with: newValue) }
    }

    /// A file for the body of an accepted response: written beside it, moved into place when complete; it counts when
    /// the operation starts. `responseData` is nil then. Default nil: the body is kept in memory.
    ///
    /// A URL that ends in a slash is that of a folder, which is made when it is not there; the response names the file
    /// in it, as with `outputDirectory`. `URL(fileURLWithPath:)` adds the slash to the path of a folder that is there.
    ///
    /// What an earlier attempt left beside it is continued when the server confirms it with a strong validator. The
    /// part is in `NAME.bluebonnet-partial` while it grows; a body whose `Content-Length` is less than 64 KiB has no
    /// name before it is complete, where the file system can do that, and leaves nothing when it fails. While one
    /// operation of a process writes to a file, the others that want to fail with `cannotOpenFile`; so do those of
    /// other processes as soon as the part has its name.
    public var outputFile: URL? {
        get { shared.withLock { $0.extras.outputFile } }
        set { replace(\.extras.outputFile, with: newValue) }
    }

    /// A folder for the body of an accepted response, which is written there under a name of ours and gets the name
    /// that the response suggests when it is complete; `downloadedFile` says which. It counts when the operation
    /// starts; the folder must be there. Default nil. An operation that has an `outputFile` too fails with
    /// `invalidRequest`.
    ///
    /// Nothing outside of the folder is ever written, and no link in it followed.
    public var outputDirectory: URL? {
        get { shared.withLock { $0.extras.outputDirectory.url } }
        set { shared.withLock { $0.extras.outputDirectory.url = newValue } }
    }

    /// What becomes of a file that has the suggested name already; it counts when the operation starts.
    ///
    /// Default `number`: a name that a server chose never costs a file that was there, and a download that took its
    /// time is not lost because of one.
    public var existingFilePolicy: ExistingFilePolicy {
        get { shared.withLock { $0.extras.outputDirectory.policy } }
        set { shared.withLock { $0.extras.outputDirectory.policy = newValue } }
    }

    /// Anything of yours; the library does not look at it.
    public var userInfo: [String: any Sendable] {
        get { shared.withLock { $0.extras.userInfo } }
        set { replace(\.extras.userInfo, with: newValue) }
    }
}
