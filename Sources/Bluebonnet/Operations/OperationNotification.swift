// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// The two notifications of an operation.
///
/// A post costs 5 µs even when nobody observes, so nothing is posted before somebody has asked for one of the names,
/// which is what observing takes.
enum OperationNotification: String {
    case start = "com.alamofire.networking.operation.start"
    case finish = "com.alamofire.networking.operation.finish"

    private static let isObserved = Atomic<Bool>(false)

    var observedName: Notification.Name {
        Self.isObserved.store(true, ordering: .relaxed)
        return Notification.Name(rawValue)
    }

    /// Posts on the library's notification queue, in order.
    func post(about operation: Operation) {
        guard Self.isObserved.load(ordering: .relaxed) else { return }
        Queues.notifications.async { [self] in
            NotificationCenter.default.post(name: Notification.Name(rawValue), object: operation)
        }
    }
}
