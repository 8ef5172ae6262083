// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch

/// The library's dispatch queues. None of them is the network thread.
enum Queues {
    /// Where handlers run when an operation has no queue of its own: serial, so that they arrive in order.
    static let callbacks = DispatchQueue(label: "org.bluebonnet.callbacks")
    /// Where notifications are posted: serial.
    static let notifications = DispatchQueue(label: "org.bluebonnet.notifications")
    /// Where small responses are validated and serialized, a round at a time.
    static let processing = DispatchQueue(label: "org.bluebonnet.processing")
    /// Where requests are made from the results of others, and files are opened: what may wait.
    static let preparation = DispatchQueue(label: "org.bluebonnet.preparation", attributes: .concurrent)

    /// Where large responses are serialized and files are finished: a few serial queues in turn, so that one large body
    /// holds up neither the small ones nor takes a thread for each.
    static let largeProcessing = (0..<4).map { DispatchQueue(label: "org.bluebonnet.processing.large.\($0)") }
}
