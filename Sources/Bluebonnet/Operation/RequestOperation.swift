// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
public import FoundationNetworking
internal import Synchronization

/// One request as an operation: its state machine, the bytes that go out and the bytes that come in.
///
/// Put it into a `RequestOperationQueue` or a plain `OperationQueue`, or call `start()`. All of it may be used from any
/// thread. What it does on the way is told to handlers on `completionQueue`, in this order: progress, then the
/// operation is finished, then its completion handlers, then its batch's progress and completion.
///
/// `HTTPRequestOperation` adds validation and a serialized response; this class delivers any response as it is.
public class RequestOperation: Operation, @unchecked Sendable {  // safe: all state is in one Mutex, as in Operation
    let shared: Mutex<RequestOperationState>
    let services: NetworkServices
    let network = NetworkBound(RunnerBox())

    /// Makes an operation for a request.
    ///
    /// - Parameter options: limits, trust and proxy; copied.
    public convenience init(request: URLRequest, options: TransferOptions = TransferOptions()) {
        self.init(source: .ready(request), options: options, services: .default)
    }

    init(source: RequestSource, options: TransferOptions, services: NetworkServices) {
        shared = Mutex(RequestOperationState(source: source, options: options))
        self.services = services
        super.init()
    }

    deinit {
        DependencyNode.release(shared.withLock { $0.node.takeDependencies() })
    }

    /// Called on a processing queue when the transfers are over and before the operation is finished: turns what
    /// arrived into an outcome. The base class takes every complete response.
    func makeOutcome(from result: TransferResult) -> OperationOutcome {
        guard case .file(let file, let canContinue) = result.content else { return OperationOutcome(result) }
        guard result.error == nil else {
            file.keepOrRemove(canContinue: canContinue)
            return OperationOutcome(result)
        }
        do throws(NetworkingError) {
            var outcome = OperationOutcome(result)
            outcome.downloadedFile = try result.moveIntoPlace(file)
            return outcome
        } catch {
            file.keepOrRemove(canContinue: false)
            return OperationOutcome(result, error: error)
        }
    }

    /// Whether a response with this status may go to the output file; the body of another one is kept in memory.
    func acceptsForOutput(status: Int) -> Bool { (200...299).contains(status) }

    // Foundation's members. Swift wants overrides in the class itself.

    /// Whether the operation may be started: nothing it depends on is unfinished, or it was cancelled.
    override public var isReady: Bool { shared.withLock { $0.isReady } }

    /// Whether the operation was started and is neither paused nor finished.
    override public var isExecuting: Bool { shared.withLock { $0.lifecycle.isExecuting } }

    /// Whether the operation has its one outcome.
    override public var isFinished: Bool { shared.withLock { $0.lifecycle.isFinished } }

    /// Whether the operation was cancelled before it was finished.
    override public var isCancelled: Bool { shared.withLock { $0.lifecycle.isCancelled } }

    /// True: the operation runs on the network thread.
    override public var isAsynchronous: Bool { true }

    /// Starts the operation; a queue calls it. Does nothing while dependencies are unfinished, and a second time.
    override public func start() { _ = startIfReady() }

    /// Stops the operation with the error `cancelled`. One that was not started yet finishes when its queue starts it
    /// and never touches the network; a paused one finishes as well.
    override public func cancel() { handle(.cancel) }

    /// What this operation waits for, in the order in which it was added; empty once it is finished.
    override public var dependencies: [Operation] { shared.withLock { $0.node.operations } }

    /// Makes this operation wait until another has ended, however it ended; at the same cost however many edges there
    /// are.
    ///
    /// Nothing of Foundation's is used for an edge between request operations: its own bookkeeping on Linux is unsafe.
    override public func addDependency(_ operation: Operation) { addEdge(to: operation) }

    /// Takes a dependency away; an operation that waited for nothing else is ready then.
    override public func removeDependency(_ operation: Operation) { removeEdge(to: operation) }

    /// Run once on `completionQueue` after the operation is finished, before the other handlers, then let go. Set on a
    /// finished operation it is not run, as with Foundation.
    override public var completionBlock: (@Sendable () -> Void)? {
        get { shared.withLock { $0.completionBlock } }
        set { replace(\.settableCompletionBlock, with: newValue) }
    }

    override public var description: String {
        let (name, isCancelled) = shared.withLock { ($0.lifecycle.stateName, $0.lifecycle.isCancelled) }
        let target =
            request.map { "\($0.httpMethod ?? "GET") \($0.url?.absoluteString ?? "")" } ?? "request not made yet"
        let status = statusCode.map { ", status \($0)" } ?? ""
        return "<\(type(of: self)): \(name), cancelled: \(isCancelled ? "yes" : "no"), \(target)\(status)>"
    }
}

extension RequestOperation {
    /// Sets a part of the state. The old value is let go outside the lock: releasing what a user gave may run code of
    /// theirs.
    func replace<Value: Sendable>(
        _ part: any WritableKeyPath<RequestOperationState, Value> & Sendable, with value: Value
    ) {
        let old = shared.withLock { state in
            let old = state[keyPath: part]
            state[keyPath: part] = value
            return old
        }
        withExtendedLifetime(old) {}
    }
}

/// Where an operation's request comes from.
enum RequestSource: Sendable {
    case ready(URLRequest)
    /// Made when the dependencies have ended, off the network thread.
    case made(@Sendable () throws -> RequestBlueprint)
    /// It was made and sent; what made it was let go.
    case used
}

/// Where a body goes whose name the response suggests.
struct OutputDirectory: Sendable {
    var url: URL?
    var policy = ExistingFilePolicy.number
}

/// What is known of an operation once its request is made; what is nil is as the operation has it.
struct RequestBlueprint: Sendable {
    var request: URLRequest
    var options: TransferOptions?
    var uploadFile: URL?
    var outputFile: URL?
    var outputDirectory: OutputDirectory?
    var responseSerializer: (any ResponseSerializer)?
    var expectedDigest: String?
}

// MARK: - What goes out

extension RequestOperation {
    /// The request: as it was given, or as it was made, or the last one sent once the operation is finished.
    public var request: URLRequest? {
        shared.withLock { state in
            if let last = state.outcome?.result.request { return last }
            if case .ready(let request) = state.source { return request }
            return nil
        }
    }

    /// Limits, trust and proxy, as they were when the operation was made.
    public var options: TransferOptions { shared.withLock { $0.options } }

    /// A file to send as the body, streamed from disk; it counts when the operation starts.
    ///
    /// Overrides the request's `httpBody`. Default nil.
    public var uploadFile: URL? {
        get { shared.withLock { $0.uploadFile } }
        set { replace(\.uploadFile, with: newValue) }
    }

    /// A file for the body of an accepted response: written beside it, moved into place when complete; it counts when
    /// the operation starts. `responseData` is nil then. Default nil: the body is kept in memory.
    ///
    /// What an earlier attempt left beside it is continued when the server confirms it with a strong validator.
    public var outputFile: URL? {
        get { shared.withLock { $0.outputFile } }
        set { replace(\.outputFile, with: newValue) }
    }

    /// A folder for the body of an accepted response, which is written there under a name of ours and gets the name that
    /// the response suggests when it is complete; `downloadedFile` says which. It counts when the operation starts; the
    /// folder must be there. Default nil. An operation that has an `outputFile` too fails with `invalidRequest`.
    ///
    /// Nothing outside of the folder is ever written, and no link in it followed.
    public var outputDirectory: URL? {
        get { shared.withLock { $0.outputDirectory.url } }
        set { shared.withLock { $0.outputDirectory.url = newValue } }
    }

    /// What becomes of a file that has the suggested name already; it counts when the operation starts.
    ///
    /// Default `number`: a name that a server chose never costs a file that was there, and a download that took its
    /// time is not lost because of one.
    public var existingFilePolicy: ExistingFilePolicy {
        get { shared.withLock { $0.outputDirectory.policy } }
        set { shared.withLock { $0.outputDirectory.policy = newValue } }
    }

    /// Anything of yours; the library does not look at it.
    public var userInfo: [String: any Sendable] {
        get { shared.withLock { $0.userInfo } }
        set { replace(\.userInfo, with: newValue) }
    }
}

// MARK: - What came in

extension RequestOperation {
    /// The final response, once its head arrived and the operation is finished.
    public var response: HTTPURLResponse? {
        let (made, head) = shared.withLock { ($0.response, $0.outcome?.result.head) }
        guard made == nil, let response = try? head?.urlResponse() else { return made }
        return shared.withLock { state in
            state.response = state.response ?? response
            return state.response
        }
    }

    /// The status of the final response, once the operation is finished.
    public var statusCode: Int? { shared.withLock { $0.outcome?.result.head?.status } }

    /// The final response's header fields in the order of arrival, repeated ones included; empty before it is finished.
    public var responseFields: [(name: String, value: String)] {
        shared.withLock { $0.outcome?.result.head?.fields ?? [] }
    }

    /// The file that the body went to, once the operation has succeeded; nil when it went to none.
    public var downloadedFile: URL? { shared.withLock { $0.outcome?.downloadedFile } }

    /// The name that the response suggests for its body, once the operation is finished: that of `Content-Disposition`
    /// (RFC 6266), else the last component of the URL's path, else `download`. Nil without a response.
    ///
    /// It is one path component of at most 255 bytes and safe to use: no separators, no control characters, no leading
    /// dots, no name that Windows keeps for a device.
    public var suggestedFileName: String? { responseHead.map(SuggestedFileName.name) }

    var responseHead: ResponseHead? { shared.withLock { $0.outcome?.result.head } }

    /// The HTTP version of the final response: `1.0`, `1.1` or `2`.
    public var httpVersion: String? { shared.withLock { $0.outcome?.result.head?.httpVersion } }

    /// The decoded body, once the operation is finished; nil when there was none or it went to a file.
    public var responseData: Data? {
        shared.withLock { state in
            guard case .memory(let data)? = state.outcome?.result.content else { return nil }
            return data
        }
    }

    /// The body as text, in the encoding that the response's charset names, else UTF-8; nil when it is not such text.
    public var responseString: String? {
        guard let data = responseData else { return nil }
        let charset = responseHead?.value(for: "Content-Type").flatMap(BodyEncoding.charset)
        return BodyEncoding(ofText: data, charset: charset).text(of: data)
    }

    /// Why the operation failed; nil while it runs and when it succeeded.
    public var error: NetworkingError? { shared.withLock { $0.outcome?.error } }

    /// How many body bytes arrived and were stored, after decoding; also when the operation failed.
    public var receivedByteCount: Int64 { shared.withLock { $0.outcome?.result.receivedByteCount ?? 0 } }

    /// Attempts, redirects and timings, once the operation is finished.
    public var summary: TransferSummary { shared.withLock { $0.outcome?.result.summary ?? TransferSummary() } }
}
