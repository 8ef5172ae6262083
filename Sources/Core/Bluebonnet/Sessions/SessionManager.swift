// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
internal import Foundation

/// Creates data, upload and download tasks: AFNetworking's session manager, based on operations.
///
/// ```swift
/// let manager = SessionManager()
/// let task = manager.dataTask(with: request) { response, object, error in print(object ?? error ?? "nothing") }
/// task.resume()
/// ```
///
/// The members are in `SessionManaging`. A task runs to its end even if its manager is released before.
public final class SessionManager: SessionManaging {
    let tasksAndBlocks: Session

    /// Creates a manager.
    ///
    /// - Parameter configuration: copied. Default `SessionConfiguration.default`.
    public convenience init(configuration: SessionConfiguration = .default) {
        self.init(optional: nil, configuration)
    }

    convenience init(optional baseURL: URL?, _ configuration: SessionConfiguration) {
        let manager = RequestOperationManager(optional: baseURL, configuration.ofManager)
        self.init(manager, configuration)
    }

    package init(_ manager: RequestOperationManager, _ configuration: SessionConfiguration) {
        tasksAndBlocks = Session(manager, configuration)
    }

    deinit { tasksAndBlocks.forgetIdleTasks() }

    /// This manager.
    public var session: SessionManager { self }

    /// The limits, headers, options and folder with which the manager was created.
    public var configuration: SessionConfiguration { tasksAndBlocks.configuration }

    /// The manager that creates the operations of the tasks, with their queue, limits and options.
    public var operationManager: RequestOperationManager { tasksAndBlocks.manager }

    /// The serial queue for the session's blocks, progress blocks and notifications.
    public var delegateQueue: DispatchQueue { tasksAndBlocks.delegateQueue }

    /// Returns a manager without tasks, with this manager's configuration, options, serializers, blocks and completion
    /// queue.
    public func copied() -> SessionManager {
        let copy = SessionManager(operationManager.copied(), configuration)
        copy.tasksAndBlocks.blocks = tasksAndBlocks.blocks
        copy.tasksAndBlocks.completion = tasksAndBlocks.completion
        return copy
    }

    /// The configuration with the manager's current options.
    var currentConfiguration: SessionConfiguration {
        var current = configuration
        current.transferOptions = operationManager.transferOptions
        return current
    }
}
