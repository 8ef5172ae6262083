// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a `SharedAuthenticator` has its `Authenticator` do, one thing after another. A value; it runs nothing.
struct CredentialWork: Sendable {
    enum Job: Sendable {
        case refresh(number: Int)
        /// Tells of a credential that the program has set; nil when the program has taken it away.
        case tell((any Sendable)?)
        /// Tells somebody who waits that the jobs before this one are done.
        case call(@Sendable () -> Void)
    }

    private var jobs: [Job] = []
    private var hasWorker = false
    /// The refresh that runs, also when its result does not count any more.
    var running: (number: Int, task: Task<any Sendable, any Error>)?
    /// Ends the refresh that requests wait for when it takes too long.
    var limit: Task<Void, Never>?

    /// Adds a job.
    ///
    /// - Returns: whether somebody has to begin with the jobs.
    mutating func add(_ job: Job) -> Bool {
        jobs.append(job)
        defer { hasWorker = true }
        return !hasWorker
    }

    /// The next job; nil when there is none, and nobody does jobs any more.
    mutating func next() -> Job? {
        guard !jobs.isEmpty else {
            hasWorker = false
            return nil
        }
        return jobs.removeFirst()
    }
}
