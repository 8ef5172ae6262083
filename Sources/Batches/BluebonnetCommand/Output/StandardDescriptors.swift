// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The standard descriptors of the process: input, output, errors.
enum StandardDescriptors {
    /// Fills closed descriptors, so that no other file or socket gets their numbers; using a filled one fails. Also
    /// ignores SIGPIPE and SIGXFSZ, so that a closed pipe or a limit on file sizes does not end the process.
    static func prepare() {
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number. The wrong access mode makes each use fail.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

/// Standard error, for messages to people.
enum StandardError {
    /// Writes the text. Errors are ignored.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        try? FileDescriptor.standardError.write(&bytes)
    }
}
