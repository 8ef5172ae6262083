// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Glibc

/// Passes publications of other threads to a responder's thread, and wakes it.
final class ResponderInbox: Sendable {
    struct Mail {
        /// The last publication of each topic.
        var publications: [String: [UInt8]] = [:]
        var isStopped = false
    }

    /// An eventfd that is readable while there is mail.
    let descriptor: Int32
    private let mail = Mutex(Mail())

    init() throws(ServingError) {
        descriptor = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw ServingError(message: "cannot listen: \(SystemText.lastError)") }
    }

    deinit { close(descriptor) }

    func publish(_ data: [UInt8], topic: String) {
        mail.withLock { $0.publications[topic] = data }
        _ = eventfd_write(descriptor, 1)
    }

    func stop() {
        mail.withLock { $0.isStopped = true }
        _ = eventfd_write(descriptor, 1)
    }

    func removeAll() -> Mail {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
        return mail.withLock { mail in
            defer { mail.publications = [:] }
            return mail
        }
    }
}

enum SystemText {
    /// The system's text of the last error of this thread.
    static var lastError: String { text(of: errno) }

    static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
