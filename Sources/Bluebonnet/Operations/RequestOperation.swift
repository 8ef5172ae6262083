// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking
internal import Synchronization

/// An operation that sends one request and receives its response.
///
/// Add the operation to a `RequestOperationQueue` or an `OperationQueue`, or call `start()`. All members may be used
/// from any thread. Handlers run on `completionQueue`, in this order: progress; then, after the operation is finished,
/// its completion handlers; then its batch's progress and completion.
///
/// `HTTPRequestOperation` adds validation and serialization; this class delivers any response unchanged.
public class RequestOperation: Operation, @unchecked Sendable {  // safe: one Mutex; `runner` traps on other threads
    let shared: Mutex<RequestOperationState>
    let services: NetworkServices
    /// The network thread's part of the operation, while there is one; network thread only, except that whatever thread
    /// lets the operation go lets it go too.
    var runner: RequestRunner? {
        get {
            NetworkThread.preconditionIsCurrent()
            return storedRunner
        }
        set {
            NetworkThread.preconditionIsCurrent()
            storedRunner = newValue
        }
    }
    private var storedRunner: RequestRunner?
    let dependencyNode = DependencyNode()
    /// Effects that wait on their way to the network thread.
    let queuedEffectCount = Atomic<Int32>(0)
    /// Its number in its queue; written under the queue's lock.
    let queueIndex = Atomic<QueueState.Index>(QueueState.none)

    /// Makes an operation for a request.
    ///
    /// - Parameter options: limits, trust and proxy; copied.
    public convenience init(request: URLRequest, options: TransferOptions = TransferOptions()) {
        self.init(source: .ready(request), options: ResolvedOptions(options), services: .default)
    }

    init(
        source: RequestSource, options: ResolvedOptions, services: NetworkServices,
        completion: CompletionPlace = CompletionPlace()
    ) {
        shared = Mutex(
            RequestOperationState(
                source: source, resolvedOptions: options, completionQueue: completion.queue,
                completionGroup: completion.group), rank: .operation)
        self.services = services
        super.init()
    }

    deinit { releaseChains() }

    /// Called on a processing queue when the transfers are over and before the operation is finished: turns what
    /// arrived into an outcome. The base class takes every complete response.
    func makeOutcome(from transfer: Box<TransferResult>) -> OperationOutcome {
        let result = transfer.value
        guard case .file(let file, let canContinue) = result.content else { return OperationOutcome(transfer) }
        guard result.error == nil else {
            file.keepOrRemove(canContinue: canContinue)
            return OperationOutcome(transfer)
        }
        do throws(NetworkingError) {
            return OperationOutcome(transfer, downloadedFile: try result.moveIntoPlace(file))
        } catch {
            file.keepOrRemove(canContinue: false)
            return OperationOutcome(transfer, error: error)
        }
    }

    /// Makes a new operation, ready to start, with this operation's request, components, blocks and progress handlers.
    /// The copy has no results, completion handlers or `userInfo`. The copy of a finished operation has no progress
    /// handlers, because they were released.
    ///
    /// The copy needs a new body stream: see `setNeedNewBodyStream(_:)`.
    public func copied() -> RequestOperation {
        let parts = shared.withLock { $0.copied(lastRequest: $0.result?.request) }
        let copy = RequestOperation(source: parts.source, options: parts.options, services: services)
        copy.hand(over: parts)
        return copy
    }

    /// The serializer as an archive keeps it.
    var archivedSerializer: ArchivedSerializer? { nil }

    /// Makes an operation from an archive.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` or `invalidRequest` when the archive's contents
    ///   contradict each other.
    public init(archive: OperationArchive) throws(NetworkingError) {
        shared = Mutex(
            RequestOperationState(
                source: .ready(archive.request.request), resolvedOptions: ResolvedOptions(try archive.options.options())
            ), rank: .operation)
        services = .default
        super.init()
        take(archive)
    }

    /// Whether making the outcome is quick and runs no user code, so that the network thread may do it.
    var isProcessedByTheLibrary: Bool { true }

    /// Whether the digest of the body is wanted whoever makes the request.
    var isDigestWanted: Bool { false }

    /// Where the body of a response with this status goes. The base class refuses none.
    func bodyDestination(ofStatus status: Int) -> BodyDestination {
        (200...299).contains(status) ? .output : .memory
    }

    // Foundation's members. Swift wants overrides in the class itself.

    /// Whether the operation may be started: all dependencies have ended, or the operation was cancelled.
    override public var isReady: Bool {
        let isInGraph = dependencyNode.noteQuestion()
        if isReadyNow { return true }
        guard isInGraph, shared.withLock({ $0.lifecycle.isBeforeStart }) else { return false }
        listenForReadiness()
        return isReadyNow  // it may have become so before it was listened for
    }

    /// Whether the operation was started and is neither paused nor finished.
    override public var isExecuting: Bool { shared.withLock { $0.lifecycle.isExecuting } }

    /// Whether the operation has its final result.
    override public var isFinished: Bool { shared.withLock { $0.lifecycle.isFinished } }

    /// Whether the operation was cancelled before it was finished.
    override public var isCancelled: Bool { shared.withLock { $0.lifecycle.isCancelled } }

    /// True: the operation runs on the network thread.
    override public var isAsynchronous: Bool { true }

    /// Starts the operation. A queue calls this method. It does nothing while dependencies are unfinished, or when the
    /// operation was started before.
    override public func start() { _ = startIfReady() }

    /// Ends the operation with the error `cancelled`. An operation that was not started yet finishes when its queue
    /// starts it, without using the network; a paused operation finishes too.
    override public func cancel() { handle(.cancel) }

    /// The operation's dependencies, in the order in which they were added; empty once the operation is finished.
    override public var dependencies: [Operation] {
        guard dependencyNode.isInGraph else { return [] }
        return DependencyGraph.read { $0.dependencies(of: self) }
    }

    /// Makes this operation wait until another operation has ended, with any result. The cost does not grow with the
    /// number of dependencies. Traps when the dependency would close a cycle.
    ///
    /// Dependencies between request operations do not use Foundation's implementation, which is unsafe on Linux.
    override public func addDependency(_ operation: Operation) { addDependency(operation, ifItFails: .runAnyway) }

    /// Removes a dependency; without another unfinished dependency the operation is ready then.
    override public func removeDependency(_ operation: Operation) { removeEdge(to: operation) }

    /// The priority among ready operations, and among operations that wait for a slot. Default `normal`. It may be
    /// changed while the operation waits.
    override public var queuePriority: Operation.QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            priorityChanged()
        }
    }

    /// A block that runs once on `completionQueue` after the operation is finished, before the other handlers, and is
    /// released then. A block that is set on a finished operation does not run, as in Foundation.
    override public var completionBlock: (@Sendable () -> Void)? {
        get { shared.withLock { $0.settableCompletionBlock } }
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
package enum RequestSource: Sendable {
    case ready(URLRequest)
    /// Made when the dependencies have ended, off the network thread.
    case made(@Sendable () throws -> RequestBlueprint)
    /// Built by library code from a description; cheap, never runs user code.
    case derived(@Sendable () throws -> RequestBlueprint)
    /// The request was made and sent; its maker was released.
    case used

    var isReady: Bool { if case .ready = self { true } else { false } }

    /// Where the request is made; nil when it is there already.
    var preparationGroup: PreparationRound.Group? {
        switch self {
        case .ready: nil
        case .derived: .quick
        case .made, .used: .alone
        }
    }

    /// Makes the request, unless it is there already, and checks it.
    func prepare(_ parts: OperationParts) -> Result<PreparedRequest, NetworkingError> {
        Result { () throws(NetworkingError) in try PreparedRequest(try blueprint(), parts: parts) }
    }

    private func blueprint() throws(NetworkingError) -> RequestBlueprint {
        switch self {
        case .ready(let request): return RequestBlueprint(request: request)
        case .used: preconditionFailure("a request is made once")
        case .made(let make), .derived(let make):
            do {
                return try make()
            } catch let error as NetworkingError {
                throw error
            } catch {
                throw NetworkingError(
                    .invalidRequest, "the request could not be made: \(error)", underlying: error)
            }
        }
    }
}
