// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// Tells a connection that failed for want of a file descriptor from others, which libcurl does not.
enum DescriptorShortage {
    /// What is said of it; nil while the process can still open files. Asks the kernel for a descriptor, and does not
    /// wait.
    static var sentence: String? {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        switch errno {
        case EMFILE: return "this process has as many open files as it may have (ulimit -n)"
        case ENFILE: return "the system has as many open files as it may have"
        default: return nil
        }
    }
}
