// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
internal import Foundation

/// Makes data, upload and download tasks: AFNetworking's session manager, on operations.
///
/// ```swift
/// let manager = SessionManager()
/// let task = manager.dataTask(with: request) { response, object, error in print(object ?? error ?? "nothing") }
/// task.resume()
/// ```
///
/// The members are those of `SessionManaging`. A task runs to its end also when its manager was let go before.
public final class SessionManager: SessionManaging {
    let tasksAndBlocks: Session

    /// Makes a manager.
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

    /// The limits, headers, options and folder that the manager was made with.
    public var configuration: SessionConfiguration { tasksAndBlocks.configuration }

    /// The manager that makes the operations of the tasks, with their queue, limits and options.
    public var operationManager: RequestOperationManager { tasksAndBlocks.manager }

    /// The serial queue on which the session's blocks, progress blocks and notifications come.
    public var delegateQueue: DispatchQueue { tasksAndBlocks.delegateQueue }

    /// A manager without tasks, with this manager's configuration, options, serializers, blocks and completion queue.
    public func copied() -> SessionManager {
        let copy = SessionManager(operationManager.copied(), configuration)
        copy.tasksAndBlocks.blocks = tasksAndBlocks.blocks
        copy.tasksAndBlocks.completion = tasksAndBlocks.completion
        return copy
    }

    /// The configuration with the options that the manager has now.
    var currentConfiguration: SessionConfiguration {
        var current = configuration
        current.transferOptions = operationManager.transferOptions
        return current
    }
}
