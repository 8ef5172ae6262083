// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The exit status of the command.
enum ExitStatus: Int32 {
    /// Every operation succeeded.
    case success = 0
    /// Some operations did not succeed, or the results could not be written.
    case failure = 1
    /// The command line or a request line is invalid.
    case usage = 2
    /// A signal ended the run.
    case interrupted = 130

    /// Ends the process at once. `exit` would tear down OpenSSL while the network thread still runs. No buffered
    /// output is lost, because the command writes directly to the kernel.
    func end() -> Never {
        _exit(rawValue)
    }
}
