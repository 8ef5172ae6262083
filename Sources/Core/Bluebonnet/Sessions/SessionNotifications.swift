// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// The notifications of tasks and sessions, with AFNetworking's names. They are posted on the session's `delegateQueue`;
// `didCompleteNotification` is posted on the queue of the completion handler, after the handler.

extension SessionTask {
    /// Posted when a task is resumed; the object is the task.
    public static let didResumeNotification = Notification.Name("com.alamofire.networking.task.resume")

    /// Posted when a task is suspended; the object is the task.
    public static let didSuspendNotification = Notification.Name("com.alamofire.networking.task.suspend")

    /// Posted when a task has ended, after its completion handler; the object is the task. For `userInfo` see
    /// `CompletionKey`.
    public static let didCompleteNotification = Notification.Name("com.alamofire.networking.task.complete")

    /// Posted when a downloaded file was moved to its destination; the object is the task.
    public static let didMoveFileNotification = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed")

    /// Posted when a downloaded file could not be moved; the object is the task. `userInfo` has the two paths and the
    /// error, as in Foundation's file errors.
    public static let didFailToMoveFileNotification = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error")

    /// The keys of `didCompleteNotification`. A key is present if there is such a value; the serializer is always
    /// present.
    public enum CompletionKey {
        /// The body, a `Data`, unless it is in a file.
        public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
        /// The object that the response serializer made.
        public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
        /// The response serializer.
        public static let responseSerializer = "com.alamofire.networking.task.complete.responseserializer"
        /// The file of a download, a `URL`.
        public static let assetPath = "com.alamofire.networking.task.complete.assetpath"
        /// The `NetworkingError`.
        public static let error = "com.alamofire.networking.task.complete.error"
        /// The `TransferSummary`.
        public static let metrics = "com.alamofire.networking.complete.sessiontaskmetrics"
    }

    /// Posts whether the complete file was moved to its destination.
    func postMove(to target: URL) {
        guard let error = operation.error else {
            return NotificationCenter.default.post(name: Self.didMoveFileNotification, object: self)
        }
        var info: [String: Any] = ["NSDestinationFilePath": target.path]
        (info[NSFilePathErrorKey], info[NSUnderlyingErrorKey]) = (extras?.temporaryFile?.path, error.underlying)
        NotificationCenter.default.post(name: Self.didFailToMoveFileNotification, object: self, userInfo: info)
    }

    func postCompletion(_ result: Result<any Sendable, NetworkingError>, file: URL?) {
        var info: [AnyHashable: Any] = [
            CompletionKey.responseSerializer: operation.responseSerializer,
            CompletionKey.metrics: operation.summary,
        ]
        switch result {
        case .success(let object): info[CompletionKey.serializedResponse] = object
        case .failure(let error): info[CompletionKey.error] = error
        }
        if let file {
            info[CompletionKey.assetPath] = file
        } else if let data = operation.responseData {
            info[CompletionKey.responseData] = data
        }
        NotificationCenter.default.post(name: Self.didCompleteNotification, object: self, userInfo: info)
    }
}

extension SessionManager {
    /// Posted when an invalidated session has no tasks left, after `sessionDidBecomeInvalid`; the object is the session
    /// manager.
    public static let didInvalidateNotification = Notification.Name("com.alamofire.networking.session.invalidate")
}
