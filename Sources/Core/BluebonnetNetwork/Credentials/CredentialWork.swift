// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Queues the calls of a `SharedAuthenticator` to its `Authenticator`, which run one at a time. A value type; it runs
/// nothing.
struct CredentialWork: Sendable {
    /// One call or notification.
    enum Job: Sendable {
        case refresh(number: Int)
        /// Reports a credential that the program has set; nil if the program has removed the credential.
        case tell((any Sendable)?)
        /// Notifies a waiter that the jobs before this one are done.
        case call(@Sendable () -> Void)
    }

    private var jobs: [Job] = []
    private var hasWorker = false
    /// The refresh in progress, even if its result no longer counts.
    var running: (number: Int, task: Task<any Sendable, any Error>)?
    /// Ends the refresh that requests wait for if it takes too long.
    var limit: Task<Void, Never>?

    /// Adds a job.
    ///
    /// - Returns: whether the caller has to start a worker.
    mutating func add(_ job: Job) -> Bool {
        jobs.append(job)
        defer { hasWorker = true }
        return !hasWorker
    }

    /// Returns the next job. Returns nil without jobs; the worker then ends.
    mutating func next() -> Job? {
        guard !jobs.isEmpty else {
            hasWorker = false
            return nil
        }
        return jobs.removeFirst()
    }
}
