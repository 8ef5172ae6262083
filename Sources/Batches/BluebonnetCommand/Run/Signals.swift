// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Glibc

/// How the command handles signals.
///
/// The signals are blocked, and a thread takes them one by one: so none is lost and none interrupts anything, however
/// early or often they come. A signal that was ignored when the process began, as by `nohup`, stays ignored.
enum Signals {
    /// Stops a run at the first SIGINT, lets it drain at the first SIGTERM or SIGHUP, and ends the process at the
    /// second signal. To be called on the main thread before there are others: they all block the signals then.
    ///
    /// - Throws: that there cannot be as many threads as a run needs.
    static func stop(_ control: StopControl) throws(CommandError) {
        try ProcessLimits.checkThreads()
        watch([SIGINT, SIGTERM, SIGHUP]) { count, number in
            guard count > 1 else {
                // Stopping may take a moment; a second signal does not wait for it.
                DispatchQueue.global().async { control.stop(number == SIGINT ? .interrupted : .terminated) }
                return
            }
            control.stop(.interruptedAgain)
            ExitStatus.interrupted.end()
        }
    }

    /// Takes bars away while a shell's job control has the process stopped. To be called on the main thread, too.
    static func suspend(_ display: ProgressDisplay) {
        watch([SIGTSTP]) { _, _ in
            display.suspend()
            // SIGTSTP is taken already; this one cannot be.
            kill(getpid(), SIGSTOP)
            display.goOn()
        }
    }

    /// Calls `handler` for each of the signals, with how many there were and which one it is, instead of what they do
    /// by themselves.
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

    /// Keeps signals of other watches from this thread.
    private static func blockAll() {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
