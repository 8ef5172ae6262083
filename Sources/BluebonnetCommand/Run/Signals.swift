// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization

/// What the command does when it gets a signal.
enum Signals {
    private static let queue = DispatchQueue(label: "org.bluebonnet.signals")

    /// Stops a run at the first SIGINT or SIGTERM, and ends the process at the second one.
    static func stop(_ control: StopControl) {
        let counter = Counter()
        for number in [SIGINT, SIGTERM] {
            handle(number) {
                guard counter.next() > 1 else {
                    // Stopping may take a moment; a second signal does not wait for it.
                    DispatchQueue.global().async { control.stop(.interrupted) }
                    return
                }
                control.stop(.interruptedAgain)
                ExitStatus.interrupted.end()
            }
        }
    }

    /// Takes bars away while a shell's job control has the process stopped.
    static func suspend(_ display: ProgressDisplay) {
        handle(SIGTSTP) {
            display.suspend()
            // SIGTSTP is taken by this handler; this one cannot be.
            kill(getpid(), SIGSTOP)
        }
        handle(SIGCONT) { display.goOn() }
    }

    /// Calls `handler` for each signal of that number, as long as the process lives, instead of what it does by itself.
    private static func handle(_ number: Int32, _ handler: @escaping () -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        // The handler keeps its source.
        source.setEventHandler { withExtendedLifetime(source, handler) }
        source.activate()
    }

    /// Counts signals.
    private final class Counter: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}
