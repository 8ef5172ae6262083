// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

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
                completionGroup: completion.group))
        self.services = services
        super.init()
        dependencyNode.belong(to: self)
    }

    deinit {
        releaseChains()
        if let transfer = shared.withLock({ $0.sharedOutcome?.value.transfer }) { DeferredFree.shared.add(transfer) }
    }

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

    /// A new operation, ready to start, with this one's request, components, blocks and progress handlers; nothing that
    /// happened, no completion handlers, and no `userInfo`. The copy of one that is finished has no progress handlers:
    /// they were let go.
    ///
    /// A request's body stream is made anew for the copy if it can be: see `setNeedNewBodyStream(_:)`.
    public func copied() -> RequestOperation {
        let parts = shared.withLock { $0.copied(lastRequest: $0.result?.request) }
        let copy = RequestOperation(source: parts.source, options: parts.options, services: services)
        copy.hand(over: parts)
        return copy
    }

    /// The serializer as an archive keeps it.
    var archivedSerializer: ArchivedSerializer? { nil }

    /// Makes an operation of an archive.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` or `invalidRequest` when what it holds contradicts
    ///   itself.
    public init(archive: OperationArchive) throws(NetworkingError) {
        shared = Mutex(
            RequestOperationState(
                source: .ready(archive.request.request), resolvedOptions: ResolvedOptions(try archive.options.options())
            ))
        services = .default
        super.init()
        dependencyNode.belong(to: self)
        take(archive)
    }

    /// Whether turning what arrived into an outcome is quick and runs nothing of a user's, so that the network thread
    /// may do it.
    var isProcessedByTheLibrary: Bool { true }

    /// Whether the digest of the body is wanted whoever makes the request.
    var isDigestWanted: Bool { false }

    /// Where the body of a response with this status goes. The base class refuses none.
    func bodyDestination(ofStatus status: Int) -> BodyDestination {
        (200...299).contains(status) ? .output : .memory
    }

    // Foundation's members. Swift wants overrides in the class itself.

    /// Whether the operation may be started: nothing it depends on is unfinished, or it was cancelled.
    override public var isReady: Bool {
        dependencyNode.noteQuestion()
        if isReadyNow { return true }
        guard shared.withLock({ $0.lifecycle.isBeforeStart }) else { return false }
        DependencyGraph.shared.withLock { $0.listen(for: self) }
        return isReadyNow  // it may have become so before it was listened for
    }

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
    override public var dependencies: [Operation] {
        guard dependencyNode.isInGraph else { return [] }
        return DependencyGraph.shared.withLock { $0.dependencies(of: self) }
    }

    /// Makes this operation wait until another has ended, however it ended; at the same cost however many edges there
    /// are. Traps when operations would wait for one another in a circle.
    ///
    /// Nothing of Foundation's is used for an edge between request operations: its own bookkeeping on Linux is unsafe.
    override public func addDependency(_ operation: Operation) { addDependency(operation, ifItFails: .runAnyway) }

    /// Takes a dependency away; an operation that waited for nothing else is ready then.
    override public func removeDependency(_ operation: Operation) { removeEdge(to: operation) }

    /// Whether it goes before others that are ready, and that wait for a place on the wire. Default `normal`; it may be
    /// changed while the operation waits.
    override public var queuePriority: Operation.QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            priorityChanged()
        }
    }

    /// Run once on `completionQueue` after the operation is finished, before the other handlers, then let go. Set on a
    /// finished operation it is not run, as with Foundation.
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
    /// The same by the library itself, of what the request was described by: quickly, and by nobody else's code.
    case derived(@Sendable () throws -> RequestBlueprint)
    /// It was made and sent; what made it was let go.
    case used

    var isReady: Bool { if case .ready = self { true } else { false } }
}
