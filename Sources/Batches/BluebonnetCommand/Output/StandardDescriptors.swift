// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The descriptors that a process is given: input, output, errors.
enum StandardDescriptors {
    /// Fills the ones that were closed, so that no file or socket takes their number, and keeps a closed pipe
    /// and a limit on file sizes from ending the process. Using one that was closed fails.
    static func prepare() {
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The number that this gives is the lowest free one. Opened the wrong way round, so that its use fails.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

/// Standard error, for messages to people.
enum StandardError {
    /// Writes the text; what cannot be written is lost.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        try? FileDescriptor.standardError.write(&bytes)
    }
}
