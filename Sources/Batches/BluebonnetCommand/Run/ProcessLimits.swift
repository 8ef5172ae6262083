// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The system's limits of this process: open files and threads.
enum ProcessLimits {
    /// The threads without which nothing runs: for signals, the network, queues and tasks.
    private static let threadCount = 12
    /// Descriptors for all that is no transfer: standard streams, results, the journal, queues, the event loop.
    private static let fixedDescriptorCount = 40
    /// Descriptors that one transfer has at a time: its socket, the output and its record, the body, a name look-up.
    private static let descriptorCountPerTransfer = 4

    /// Raises the soft limit of open files to the hard one, which the user may do at any time.
    static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many transfers may run at once with this limit of open files: the requested number, or fewer.
    static func concurrency(_ wanted: Int) -> Int { concurrency(wanted, descriptorLimit: descriptorLimit) }

    static func concurrency(_ wanted: Int, descriptorLimit: Int) -> Int {
        let room = max(0, descriptorLimit - fixedDescriptorCount) / descriptorCountPerTransfer
        return min(wanted, max(1, room))
    }

    /// The message when fewer transfers run than requested.
    static func note(wanted: Int, used: Int) -> String {
        "--concurrency \(wanted): only \(used) at once, because this process may have \(descriptorLimit) open files "
            + "(ulimit -n)"
    }

    private static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// Makes sure that threads can be started: without them a run would wait forever, and take no signal.
    static func checkThreads() throws(CommandError) {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        var threads: [pthread_t] = []
        var problem: Int32 = 0
        while problem == 0, threads.count < threadCount {
            var thread = pthread_t()
            problem = pthread_create(&thread, nil, waitAtGate, gate)
            if problem == 0 { threads.append(thread) }
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        pthread_mutex_destroy(gate)
        gate.deallocate()
        guard problem != 0 else { return }
        throw .unusable(
            "cannot start \(threadCount) threads, only \(threads.count): \(SystemError(code: problem)); "
                + "the limit of processes and threads is too low (ulimit -u)")
    }

    /// Lives until the gate opens, so that all threads are there at once.
    private static let waitAtGate: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
        guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
        pthread_mutex_lock(gate)
        pthread_mutex_unlock(gate)
        return nil
    }
}
