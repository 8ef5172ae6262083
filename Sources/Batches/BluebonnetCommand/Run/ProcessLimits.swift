// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The system's limits for this process: open files and threads.
enum ProcessLimits {
    /// The number of threads that a run needs: for signals, the network, queues and tasks.
    private static let threadCount = 12
    /// The number of descriptors for everything except transfers: standard streams, results, the journal, queues, the
    /// event loop.
    private static let fixedDescriptorCount = 40
    /// The maximum number of descriptors of one transfer: its socket, the output and its record, the body, a name
    /// look-up.
    private static let descriptorCountPerTransfer = 4

    /// Raises the soft limit of open files to the hard limit, which every user may do.
    static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Returns the number of concurrent transfers that the limit of open files allows: the requested number, or fewer.
    static func concurrency(_ wanted: Int) -> Int { concurrency(wanted, descriptorLimit: descriptorLimit) }

    static func concurrency(_ wanted: Int, descriptorLimit: Int) -> Int {
        let room = max(0, descriptorLimit - fixedDescriptorCount) / descriptorCountPerTransfer
        return min(wanted, max(1, room))
    }

    /// Returns the message for a run with fewer concurrent transfers than requested.
    static func reducedConcurrencyMessage(wanted: Int, used: Int) -> String {
        "--concurrency \(wanted): only \(used) at once, because the process can have \(descriptorLimit) open files "
            + "(ulimit -n)"
    }

    private static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// Checks that enough threads can be started. Without them, a run would wait forever and not react to signals.
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
                + "raise the limit of processes and threads (ulimit -u)")
    }

    /// Blocks until the gate opens, so that all threads exist at the same time.
    private static let waitAtGate: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
        guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
        pthread_mutex_lock(gate)
        pthread_mutex_unlock(gate)
        return nil
    }
}
