// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// The verbs in AFNetworking's form: each adds an operation to `operationQueue` and returns it. If the request cannot be
// made, the operation fails with the reason, without touching the network.
extension RequestOperationManager {
    /// Called with the operation and its serialized response.
    public typealias Success = @Sendable (_ operation: HTTPRequestOperation, _ responseObject: any Sendable) -> Void
    /// Called with the operation and its error.
    public typealias Failure = @Sendable (_ operation: HTTPRequestOperation, _ error: NetworkingError) -> Void

    /// Runs a GET.
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`, here into the query.
    ///   - headers: fields of this request only; each replaces the manager's and the serializer's field of the same
    ///     name.
    ///   - body: encoded when the operation starts. With a body, all parameters go into the query.
    ///   - timeout: the longest time for the whole request, as `Timeouts.total`. Default nil: the manager's.
    ///   - acceptableStatusCodes: the statuses that count as success, such as `[200, 404]` or `.anyStatus`. Default
    ///     nil: the statuses of the serializer.
    ///   - responseSerializer: nil for the manager's serializer.
    ///   - progress: called with the progress of the download, as `RequestOperation.onDownloadProgress`; for POST, PUT
    ///     and PATCH with the progress of the upload.
    ///   - success: called on `completionQueue` when the operation has succeeded.
    ///   - failure: called on `completionQueue` when the operation has failed or was cancelled.
    /// - Returns: the operation.
    @discardableResult
    public func get(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil,
        progress: RequestOperation.ProgressHandler? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        Call(self, "GET", url, parameters, headers, body, timeout, acceptableStatusCodes)
            .start(responseSerializer, download: progress, success, failure)
    }

    /// Runs a HEAD; parameters go into the query. For the arguments see `get`.
    @discardableResult
    public func head(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil,
        progress: RequestOperation.ProgressHandler? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        Call(self, "HEAD", url, parameters, headers, body, timeout, acceptableStatusCodes)
            .start(responseSerializer, download: progress, success, failure)
    }

    /// Runs a POST; parameters go into the body. For the arguments see `get`.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil,
        progress: RequestOperation.ProgressHandler? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        Call(self, "POST", url, parameters, headers, body, timeout, acceptableStatusCodes)
            .start(responseSerializer, upload: progress, success, failure)
    }

    /// Runs a PUT; parameters go into the body. For the arguments see `get`.
    @discardableResult
    public func put(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil,
        progress: RequestOperation.ProgressHandler? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        Call(self, "PUT", url, parameters, headers, body, timeout, acceptableStatusCodes)
            .start(responseSerializer, upload: progress, success, failure)
    }

    /// Runs a PATCH; parameters go into the body. For the arguments see `get`.
    @discardableResult
    public func patch(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil,
        progress: RequestOperation.ProgressHandler? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        Call(self, "PATCH", url, parameters, headers, body, timeout, acceptableStatusCodes)
            .start(responseSerializer, upload: progress, success, failure)
    }

    /// Runs a DELETE; parameters go into the query. For the arguments see `get`.
    @discardableResult
    public func delete(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:], body: RequestBody? = nil,
        timeout: Duration? = nil, acceptableStatusCodes: IndexSet? = nil,
        responseSerializer: (any ResponseSerializer)? = nil,
        progress: RequestOperation.ProgressHandler? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> HTTPRequestOperation {
        Call(self, "DELETE", url, parameters, headers, body, timeout, acceptableStatusCodes)
            .start(responseSerializer, download: progress, success, failure)
    }
}

extension Call {
    func start(
        _ serializer: (any ResponseSerializer)?, upload: RequestOperation.ProgressHandler? = nil,
        download: RequestOperation.ProgressHandler? = nil, _ success: @escaping RequestOperationManager.Success,
        _ failure: RequestOperationManager.Failure?
    ) -> HTTPRequestOperation {
        let operation = operation(serializer.map { ResolvedSerializer($0) }) { operation in
            if let upload { operation.onUploadProgress = upload }
            if let download { operation.onDownloadProgress = download }
            operation.setCompletionBlock(success: success, failure: failure)
        }
        return manager.enqueue(operation)
    }
}
