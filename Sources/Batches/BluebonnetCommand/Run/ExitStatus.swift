// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// How the command ends.
enum ExitStatus: Int32 {
    /// Every operation succeeded.
    case success = 0
    /// Some operations did not succeed, or the results could not be written.
    case failure = 1
    /// The command line or a request line is wrong.
    case usage = 2
    /// A signal ended the run.
    case interrupted = 130

    /// Ends the process at once. `exit` would tear OpenSSL down under the network thread, which still runs; all that
    /// this command writes has been handed to the kernel.
    func end() -> Never {
        _exit(rawValue)
    }
}
