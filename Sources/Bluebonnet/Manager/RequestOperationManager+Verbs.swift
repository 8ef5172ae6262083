// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// The verbs with callbacks: each makes a request, an operation for it, adds the operation to `operationQueue`, and
// gives it back. A request that cannot be made is an operation that fails with the reason, without touching the
// network.
//
// The success handler tells these verbs from those that wait: `try await manager.delete("users/1")` waits.
extension RequestOperationManager {
    /// Called with the operation and its serialized response.
    public typealias Success = @Sendable (_ operation: HTTPRequestOperation, _ responseObject: any Sendable) -> Void
    /// Called with the operation and why it failed.
    public typealias Failure = @Sendable (_ operation: HTTPRequestOperation, _ error: NetworkingError) -> Void

    /// Runs a GET; parameters go into the query.
    ///
    /// More about the arguments stands at
    /// `operation(_:_:parameters:headers:body:timeout:priority:acceptableStatusCodes:responseSerializer:configure:)`.
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded into the query.
    ///   - headers: for this request only.
    ///   - body: encoded when the operation starts.
    ///   - timeout: the longest time for the whole request.
    ///   - priority: the operation's `queuePriority`.
    ///   - acceptableStatusCodes: the statuses that are a success, such as `[200, 404]` or `.anyStatus`. Default nil:
    ///     the statuses of the serializer.
    ///   - responseSerializer: nil is the manager's.
    ///   - progress: called with the download's progress, as `RequestOperation.onDownloadProgress`; for POST, PUT and
    ///     PATCH with the upload's.
    ///   - configure: called at once with the operation, before it can be started.
    ///   - success: called on `completionQueue` when the operation has succeeded.
    ///   - failure: called on `completionQueue` when the operation has failed.
    @discardableResult
    public func get(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil, progress: RequestOperation.ProgressHandler? = nil,
        configure: ((HTTPRequestOperation) -> Void)? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        start(
            "GET", url.urlReference,
            CallDetails(
                parameters, headers, body, timeout, priority, acceptableStatusCodes, configure), responseSerializer,
            download: progress, success, failure)
    }

    /// Runs a HEAD; parameters go into the query. The response object is the serializer's value for an empty body. For
    /// the arguments see `get`.
    @discardableResult
    public func head(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil, progress: RequestOperation.ProgressHandler? = nil,
        configure: ((HTTPRequestOperation) -> Void)? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        start(
            "HEAD", url.urlReference,
            CallDetails(
                parameters, headers, body, timeout, priority, acceptableStatusCodes, configure), responseSerializer,
            download: progress, success, failure)
    }

    /// Runs a POST; parameters go into the body. For the arguments see `get`.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil, progress: RequestOperation.ProgressHandler? = nil,
        configure: ((HTTPRequestOperation) -> Void)? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        start(
            "POST", url.urlReference,
            CallDetails(
                parameters, headers, body, timeout, priority, acceptableStatusCodes, configure), responseSerializer,
            upload: progress, success, failure)
    }

    /// Runs a PUT; parameters go into the body. For the arguments see `get`.
    @discardableResult
    public func put(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil, progress: RequestOperation.ProgressHandler? = nil,
        configure: ((HTTPRequestOperation) -> Void)? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        start(
            "PUT", url.urlReference,
            CallDetails(
                parameters, headers, body, timeout, priority, acceptableStatusCodes, configure), responseSerializer,
            upload: progress, success, failure)
    }

    /// Runs a PATCH; parameters go into the body. For the arguments see `get`.
    @discardableResult
    public func patch(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil, progress: RequestOperation.ProgressHandler? = nil,
        configure: ((HTTPRequestOperation) -> Void)? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        start(
            "PATCH", url.urlReference,
            CallDetails(
                parameters, headers, body, timeout, priority, acceptableStatusCodes, configure), responseSerializer,
            upload: progress, success, failure)
    }

    /// Runs a DELETE; parameters go into the query. For the arguments see `get`.
    @discardableResult
    public func delete(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, priority: Operation.QueuePriority = .normal, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil, progress: RequestOperation.ProgressHandler? = nil,
        configure: ((HTTPRequestOperation) -> Void)? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        start(
            "DELETE", url.urlReference,
            CallDetails(
                parameters, headers, body, timeout, priority, acceptableStatusCodes, configure), responseSerializer,
            download: progress, success, failure)
    }

    private func start(
        _ method: String, _ url: String, _ details: CallDetails, _ serializer: (any ResponseSerializer)?,
        upload: RequestOperation.ProgressHandler? = nil, download: RequestOperation.ProgressHandler? = nil,
        _ success: @escaping Success, _ failure: Failure?
    ) -> HTTPRequestOperation {
        let details = details.preceded { operation in
            if let upload { operation.onUploadProgress = upload }
            if let download { operation.onDownloadProgress = download }
            operation.setCompletionBlock(success: success, failure: failure)
        }
        return enqueue(operation(method, url, details, serializer: serializer.map { ResolvedSerializer($0) }))
    }
}
