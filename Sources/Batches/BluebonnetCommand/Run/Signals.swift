// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Glibc

/// Handles the signals of the command.
///
/// The signals are blocked, and a dedicated thread receives them one by one. So no signal is lost, and none interrupts
/// a system call, no matter how early or often it comes. Signals that were ignored when the process started, as by
/// `nohup`, stay ignored.
enum Signals {
    /// Cancels a run at the first SIGINT, drains it at the first SIGTERM or SIGHUP, and ends the process at the second
    /// signal, or at the first one before the run has begun. Call this on the main thread before other threads are
    /// started: they inherit the blocked signals.
    ///
    /// - Throws: an error if the process cannot start as many threads as a run needs.
    static func stop(_ control: StopControl) throws(CommandError) {
        try ProcessLimits.checkThreads()
        watch([SIGINT, SIGTERM, SIGHUP]) { count, number in
            guard count > 1 || control.isPreparing else {
                // Stopping may take a moment, and must not delay a second signal.
                DispatchQueue.global().async { control.stop(number == SIGINT ? .interrupted : .terminated) }
                return
            }
            control.stop(.interruptedAgain)
            ExitStatus.interrupted.end()
        }
    }

    /// Removes the bars while job control of a shell has stopped the process. Call this on the main thread, too.
    static func suspend(_ display: ProgressDisplay) {
        watch([SIGTSTP]) { _, _ in
            display.suspend()
            // SIGTSTP has already been consumed. SIGSTOP stops the process.
            kill(getpid(), SIGSTOP)
            display.resume()
        }
    }

    /// Replaces the default action of signals by `handler`, which receives the number of signals so far and the
    /// signal.
    private static func watch(
        _ numbers: [Int32], _ handler: @escaping @Sendable (_ count: Int, _ number: Int32) -> Void
    ) {
        var signals = sigset_t()
        sigemptyset(&signals)
        let watched = numbers.filter { !isIgnored($0) }
        guard !watched.isEmpty else { return }
        for number in watched { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        Thread.detachNewThread { [signals] in
            blockAll()
            var (signals, number, count) = (signals, Int32(0), 0)
            while sigwait(&signals, &number) == 0 {
                count += 1
                handler(count, number)
            }
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler else {
            return false
        }
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Blocks the signals of other watches on this thread.
    private static func blockAll() {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
