// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// The two notifications of an operation.
///
/// Foundation does not say whether there are observers, and the two posts of a request take at least 1.5 µs of its
/// 20 µs, even if they are made together on another thread. Therefore nothing is posted until the program indicates
/// that there are observers.
enum OperationNotification: String {
    case start = "com.alamofire.networking.operation.start"
    case finish = "com.alamofire.networking.operation.finish"

    /// A notification that is to be posted.
    private struct Post {
        let notification: OperationNotification
        let operation: Operation
    }

    private static let arePosted = Atomic<Bool>(false)
    private static let pending = Mutex<[Post]>([], rank: .inbox)

    /// Whether there are observers.
    static var isObserved: Bool {
        get { arePosted.load(ordering: .relaxed) }
        set { arePosted.store(newValue, ordering: .relaxed) }
    }

    /// Returns the notification's name to code that is about to observe it, and turns posting on.
    var observedName: Notification.Name {
        Self.isObserved = true
        return Notification.Name(rawValue)
    }

    /// Stores the notification for the next posts, in the order of the calls.
    ///
    /// - Returns: whether the posts have to be scheduled, without a lock.
    func keep(about operation: Operation) -> Bool {
        guard Self.isObserved else { return false }
        return Self.pending.withLock { pending in
            pending.append(Post(notification: self, operation: operation))
            return pending.count == 1
        }
    }

    /// Posts all stored notifications, on the library's notification queue.
    static func schedule() {
        Queues.notifications.async {
            let posts = pending.withLock { pending in
                let posts = pending
                pending = []
                return posts
            }
            for post in posts {
                let name = Notification.Name(post.notification.rawValue)
                NotificationCenter.default.post(name: name, object: post.operation)
            }
        }
    }
}
