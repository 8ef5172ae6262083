// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The state of a runner: the unfinished lines, and the outcomes of finished lines that the runner keeps itself. A
/// value type, guarded by the runner's lock. It runs no operations.
struct RunnerState: Sendable {
    private struct Entry {
        let operation: HTTPRequestOperation
        let dependencies: [String]
        /// The number of lines added before.
        let number: Int
        /// Whether a dependency had not succeeded when the line was added, so that the line will be skipped.
        let isDoomed: Bool
        /// Whether the caller keeps the outcome, and the runner does not.
        let isForgotten: Bool
    }

    private var unfinished: [ByteString: Entry] = [:]
    private var outcomes: [ByteString: ResultLine.Outcome] = [:]
    private var sources: [ByteString: ReferenceSource] = [:]
    /// The reasons to skip dependents, by the id of the line that did not succeed.
    private var skipReasons: [ByteString: String] = [:]
    /// The unfinished lines that will be skipped because of a dependency. Recorded when the run is cancelled.
    private var doomed: Set<ByteString> = []
    private var addedCount = 0
    private(set) var isCancelled = false
    private var counts: [ResultLine.Outcome: Int] = [:]
    private var finishedByteCount: Int64 = 0

    /// Adds a line. Returns the unfinished operations that it depends on, and whether the run was cancelled before.
    mutating func add(
        _ id: String, _ operation: HTTPRequestOperation, dependencies: [String]
    ) -> (dependencies: [HTTPRequestOperation], isCancelled: Bool) {
        precondition(outcomes[ByteString(id)] == nil, "two lines have the id \(id)")
        insert(id, operation, dependencies, isDoomed: false, isForgotten: false)
        return (dependencies.compactMap { unfinished[ByteString($0)]?.operation }, isCancelled)
    }

    /// Adds an operation whose dependencies have ended, and whose outcome is not kept.
    ///
    /// - Returns: the name of the operation in this state, which is another one than its id if a response has supplied
    ///   the id of a running operation; and whether the run was cancelled before.
    mutating func add(
        _ id: String, _ operation: HTTPRequestOperation, needs: [RunnerDependency]
    ) -> (name: String, isCancelled: Bool) {
        let isDoomed = needs.contains { $0.outcome?.dooms ?? false }
        let name = unfinished[ByteString(id)] == nil ? id : "\(id) (\(addedCount))"
        insert(name, operation, [], isDoomed: isDoomed, isForgotten: true)
        return (name, isCancelled)
    }

    private mutating func insert(
        _ id: String, _ operation: HTTPRequestOperation, _ dependencies: [String], isDoomed: Bool, isForgotten: Bool
    ) {
        precondition(unfinished[ByteString(id)] == nil, "two lines have the id \(id)")
        unfinished[ByteString(id)] = Entry(
            operation: operation, dependencies: dependencies, number: addedCount, isDoomed: isDoomed,
            isForgotten: isForgotten)
        addedCount += 1
    }

    /// Returns the state of a line's dependencies.
    func dependencies(_ ids: [String]) -> [RunnerDependency] {
        ids.map { id in
            let key = ByteString(id)
            let (source, operation) = (sources[key], unfinished[key]?.operation)
            let error = operation?.error
            let reason = error.flatMap { SkipReason.reason(id, $0) }
            return RunnerDependency(
                id: id, outcome: outcomes[key], hasFailed: error != nil, reason: skipReasons[key] ?? reason
            ) {
                source ?? operation.map { ReferenceSource($0) }
            }
        }
    }

    /// Records the end of a line. Returns its outcome.
    mutating func finish(_ id: String, _ ending: RunnerEnding) -> ResultLine.Outcome {
        let entry = unfinished.removeValue(forKey: ByteString(id))
        let outcome = outcome(of: id, ending)
        counts[outcome, default: 0] += 1
        finishedByteCount += ending.receivedByteCount
        if entry?.isForgotten ?? false { return outcome }
        outcomes[ByteString(id)] = outcome
        skipReasons[ByteString(id)] = SkipReason.reason(id, outcome, ending.error.map(ResultLine.Failure.init))
        if outcome == .success, let source = ending.source { sources[ByteString(id)] = source }
        return outcome
    }

    private func outcome(of id: String, _ ending: RunnerEnding) -> ResultLine.Outcome {
        switch ending.code {
        case nil: .success
        case .cancelled?: doomed.contains(ByteString(id)) ? .skipped : .cancelled
        // Cancelling a run also cancels the remaining lines, except those already doomed by a failure.
        case .dependencyFailed?:
            isCancelled && ending.isCancelled && !doomed.contains(ByteString(id)) ? .cancelled : .skipped
        case .some: .failure
        }
    }

    /// Marks the run as cancelled, and records the lines already doomed by a failure. Returns the operations to
    /// cancel.
    mutating func cancel() -> [HTTPRequestOperation] {
        isCancelled = true
        let entries = unfinished.sorted { $0.value.number < $1.value.number }
        for (id, entry) in entries {
            let isDoomed = entry.dependencies.contains { dependency in
                doomed.contains(ByteString(dependency)) || outcomes[ByteString(dependency)]?.dooms ?? false
            }
            if isDoomed || entry.isDoomed { doomed.insert(id) }
        }
        return entries.map(\.value.operation)
    }

    /// The state of the run. Reading the operations' progress happens later, without the lock.
    var standing: RunnerStanding {
        RunnerStanding(
            unfinished: unfinished.map { ($0.key.string, $0.value.operation) }, totalCount: addedCount, counts: counts,
            finishedByteCount: finishedByteCount)
    }
}

/// A runner's state at one moment.
struct RunnerStanding: Sendable {
    fileprivate let unfinished: [(id: String, operation: HTTPRequestOperation)]
    fileprivate let totalCount: Int
    fileprivate let counts: [ResultLine.Outcome: Int]
    fileprivate let finishedByteCount: Int64

    func snapshot(largest count: Int) -> RequestLineRunner.Snapshot {
        let active = unfinished.map { (id: $0.id, progress: $0.operation.byteProgress) }
            .filter { $0.progress.count > 0 }
        let largest = active.sorted { a, b in a.progress.size > b.progress.size }.prefix(count).map { id, progress in
            RequestLineRunner.Snapshot.Transfer(
                id: id, receivedByteCount: progress.count, expectedByteCount: progress.expected)
        }
        return RequestLineRunner.Snapshot(
            totalCount: totalCount, counts: counts,
            receivedByteCount: active.reduce(finishedByteCount) { $0 + $1.progress.count },
            largestTransfers: largest)
    }
}

/// The facts about an ended operation that the runner's state needs.
struct RunnerEnding: Sendable {
    let error: NetworkingError?
    var code: NetworkingError.Code? { error?.code }
    let isCancelled: Bool
    let receivedByteCount: Int64
    /// The response for lines that refer to this one; nil if no line does.
    let source: ReferenceSource?

    init(_ operation: HTTPRequestOperation, isReferenced: Bool, values: JSONValue?) {
        error = operation.error
        isCancelled = operation.isCancelled
        receivedByteCount = operation.receivedByteCount
        source = isReferenced ? ReferenceSource(operation, values: values) : nil
    }
}

extension ResultLine.Outcome {
    /// Whether lines that depend on a line with this outcome are skipped, even if the run is cancelled.
    var dooms: Bool { self == .failure || self == .skipped || self == .unknown }
}

/// The state of a dependency of a line. The dependency's operation has ended, but its handlers may not have run yet;
/// the operation itself then provides the error and the response.
package struct RunnerDependency: Sendable {
    let id: String
    /// The outcome; nil if only the error of the operation is known.
    let outcome: ResultLine.Outcome?
    private let hasFailed: Bool
    /// The reason to skip the dependent line if this one did not succeed.
    let reason: String?
    private let source: @Sendable () -> ReferenceSource?

    fileprivate init(
        id: String, outcome: ResultLine.Outcome?, hasFailed: Bool, reason: String?,
        source: @escaping @Sendable () -> ReferenceSource?
    ) {
        (self.id, self.outcome, self.hasFailed, self.reason, self.source) = (id, outcome, hasFailed, reason, source)
    }

    /// Makes a dependency that has ended.
    ///
    /// - Parameters:
    ///   - reason: the reason to skip dependents; nil if it is not known, or the line succeeded.
    ///   - source: returns the response. Called when a reference needs it.
    init(
        id: String, outcome: ResultLine.Outcome, reason: String? = nil,
        source: @escaping @Sendable () -> ReferenceSource?
    ) {
        self.init(id: id, outcome: outcome, hasFailed: false, reason: reason, source: source)
    }

    /// Whether the line succeeded.
    package var isSuccess: Bool { outcome.map { $0 == .success } ?? !hasFailed }

    /// Checks that the line succeeded.
    ///
    /// - Throws: `dependencyFailed`, if it did not.
    func check() throws(NetworkingError) {
        guard isSuccess else {
            throw NetworkingError(.dependencyFailed, SkipReason.message(reason ?? "\"\(id)\" did not succeed"))
        }
    }

    /// The source of references to the line; nil if no reference was expected.
    var referenceSource: ReferenceSource? { source() }
}

extension ReferenceSource {
    /// Makes a source from the response of an operation.
    fileprivate init(_ operation: HTTPRequestOperation, values: JSONValue? = nil) {
        self.init(
            status: operation.statusCode, headers: operation.responseHeaders, body: operation.responseData,
            values: values)
    }
}

extension RequestLineRunner {
    /// The state of a run at one moment.
    public struct Snapshot: Sendable {
        /// One running transfer.
        public struct Transfer: Sendable {
            /// The line's id.
            public let id: String
            /// The number of bytes received, after decoding.
            public let receivedByteCount: Int64
            /// The number of bytes expected; -1 if unknown.
            public let expectedByteCount: Int64
        }

        /// The number of lines added so far, and of their pages and elements that have ended. Items of streams are not
        /// counted.
        public internal(set) var totalCount: Int
        var counts: [ResultLine.Outcome: Int]
        /// The number of lines, pages and elements that have ended, with any outcome.
        public var finishedCount: Int { counts.values.reduce(0, +) }
        /// The number of lines that succeeded.
        public var successCount: Int { counts[.success] ?? 0 }
        /// The number of lines that failed.
        public var failureCount: Int { counts[.failure] ?? 0 }
        /// The number of lines that were cancelled.
        public var cancelledCount: Int { counts[.cancelled] ?? 0 }
        /// The number of lines that were not started because a dependency did not succeed.
        public var skippedCount: Int { counts[.skipped] ?? 0 }
        /// The number of lines whose outcome is not known, because an earlier process ended when they may have been
        /// sent. Always 0 without a journal.
        public var unknownCount: Int { counts[.unknown] ?? 0 }
        /// The number of body bytes that all transfers have received.
        public internal(set) var receivedByteCount: Int64
        /// The largest running transfers.
        public let largestTransfers: [Transfer]
        /// The number of operations in the whole process that wait for their next attempt.
        public internal(set) var waitingRetryCount = 0
        /// Up to 16 origins to which no requests are sent for a time.
        public internal(set) var heldOrigins: [HeldOrigin] = []

        /// An origin to which no requests are sent for a time, because its server asked clients to wait, or because it
        /// is unavailable.
        public struct HeldOrigin: Sendable {
            /// The scheme, host and port.
            public let origin: String
            /// The time until requests are sent to it again, in seconds.
            public let secondsLeft: Double
            /// The number of operations that wait for the origin.
            public let waitingCount: Int

            /// Returns nil if requests can be sent to the origin.
            init?(_ status: OriginStatus, now: Date) {
                guard let heldUntil = status.heldUntil else { return nil }
                secondsLeft = max(0, heldUntil.timeIntervalSince(now))
                (origin, waitingCount) = (status.origin, status.waitingCount)
            }
        }
    }
}

/// The waiting retries and origins of a run.
struct RunnerWaits: Sendable {
    var retryCount = 0
    var origins: [OriginStatus] = []
}

extension ByteProgress {
    /// The size by which the largest transfers are selected.
    fileprivate var size: Int64 { max(count, expected) }
}
