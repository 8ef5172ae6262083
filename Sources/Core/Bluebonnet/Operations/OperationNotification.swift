// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// The two notifications of an operation.
///
/// Foundation does not say who observes, and the two posts of a request take 1.5 µs or more of its 20 µs, also when
/// they are made together on another thread. So nothing is posted until somebody says that there are observers.
enum OperationNotification: String {
    case start = "com.alamofire.networking.operation.start"
    case finish = "com.alamofire.networking.operation.finish"

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

    /// The name, for somebody who is about to observe.
    var observedName: Notification.Name {
        Self.isObserved = true
        return Notification.Name(rawValue)
    }

    /// Keeps the notification for the next posts, in the order of the calls.
    ///
    /// - Returns: whether the posts have to be scheduled, which is done without a lock.
    func keep(about operation: Operation) -> Bool {
        guard Self.isObserved else { return false }
        return Self.pending.withLock { pending in
            pending.append(Post(notification: self, operation: operation))
            return pending.count == 1
        }
    }

    /// Posts everything that is kept, on the library's notification queue.
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
