// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Glibc

/// What the command does when it gets a signal.
///
/// The signals are blocked, and a thread takes them one by one: so none is lost and none interrupts anything, however
/// early or often they come.
enum Signals {
    /// Stops a run at the first SIGINT, lets it drain at the first SIGTERM, and ends the process at the second signal.
    /// To be called on the main thread before there are others: they all block the signals then.
    static func stop(_ control: StopControl) {
        watch([SIGINT, SIGTERM]) { count, number in
            guard count > 1 else {
                // Stopping may take a moment; a second signal does not wait for it.
                DispatchQueue.global().async { control.stop(number == SIGTERM ? .terminated : .interrupted) }
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
        for number in numbers { sigaddset(&signals, number) }
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

    /// Keeps signals of other watches from this thread.
    private static func blockAll() {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
