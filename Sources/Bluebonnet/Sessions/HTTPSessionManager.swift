// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A session manager with a base URL and a call for each method: AFNetworking's `AFHTTPSessionManager`, with the
/// parameters of its version 4.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1/")!)
/// manager.get("me") { task, object in print(object) } failure: { task, error in print(error) }
/// let me = try await manager.get("me").value
/// ```
///
/// Tasks of these calls are resumed already. A request that cannot be made is a task that fails, without touching the
/// network. The members that are not of HTTP are those of `SessionManaging`.
public final class HTTPSessionManager: SessionManaging {
    /// Called with the task and the serialized response.
    public typealias Success = @Sendable (_ task: SessionTask, _ object: any Sendable) -> Void
    /// Called with the task and why it failed.
    public typealias Failure = @Sendable (_ task: SessionTask, _ error: NetworkingError) -> Void

    /// The session manager that makes the tasks.
    public let session: SessionManager

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - baseURL: a path that does not end in a slash gets one. Nil: the calls need absolute URLs.
    ///   - configuration: copied. Default `SessionConfiguration.default`.
    public convenience init(baseURL: URL? = nil, configuration: SessionConfiguration = .default) {
        self.init(SessionManager(optional: baseURL, configuration))
    }

    init(_ session: SessionManager) { self.session = session }

    /// The URL that relative URLs are resolved against.
    public var baseURL: URL? { session.operationManager.baseURL }

    /// Makes requests from parameters. Default `HTTPRequestSerializer`.
    public var requestSerializer: any RequestSerializer {
        get { session.operationManager.requestSerializer }
        set { session.operationManager.requestSerializer = newValue }
    }

    /// A manager without tasks, as `SessionManager.copied()`.
    public func copied() -> HTTPSessionManager { HTTPSessionManager(session.copied()) }
}

// MARK: - Calls with handlers

extension HTTPSessionManager {
    /// Makes a suspended task for a method and a URL.
    ///
    /// - Parameters:
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`: for GET, HEAD and DELETE into the query, for other methods into
    ///     the body.
    ///   - headers: for this request only; each wins over the configuration's and the serializer's field of that name.
    ///   - body: encoded when the task starts; with it, parameters go into the query.
    ///   - uploadProgress: called on `delegateQueue` while the body is sent.
    ///   - downloadProgress: called on `delegateQueue` while the response's body arrives.
    ///   - success: called on `completionQueue` when the task has succeeded.
    ///   - failure: called on `completionQueue` when the task has failed.
    public func dataTask(
        _ method: String, _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, uploadProgress: SessionTask.ProgressBlock? = nil,
        downloadProgress: SessionTask.ProgressBlock? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> SessionTask {
        let tasks = session.tasksAndBlocks
        let operation = tasks.manager.operation(method, url, parameters: parameters, headers: headers, body: body)
        let hasHandlers = success != nil || failure != nil
        return tasks.task(
            operation, body == nil ? .data : .upload, hasHandlers ? .verb(success, failure) : nil,
            upload: uploadProgress, download: downloadProgress)
    }

    /// Runs a GET; parameters go into the query. For the arguments see `dataTask`.
    ///
    /// - Parameter progress: that of the download.
    @discardableResult
    public func get(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        progress: SessionTask.ProgressBlock? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> SessionTask {
        started(
            dataTask(
                "GET", url, parameters: parameters, headers: headers, downloadProgress: progress, success: success,
                failure: failure))
    }

    /// Runs a HEAD; parameters go into the query.
    @discardableResult
    public func head(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        success: @escaping @Sendable (_ task: SessionTask) -> Void, failure: Failure? = nil
    ) -> SessionTask {
        started(
            dataTask(
                "HEAD", url, parameters: parameters, headers: headers, success: { task, _ in success(task) },
                failure: failure))
    }

    /// Runs a POST; parameters go into the body.
    ///
    /// - Parameter progress: that of the upload.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        progress: SessionTask.ProgressBlock? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> SessionTask {
        started(
            dataTask(
                "POST", url, parameters: parameters, headers: headers, uploadProgress: progress, success: success,
                failure: failure))
    }

    /// Runs a POST of a multipart form as an upload task: a part for each parameter, then what `build` adds.
    ///
    /// - Parameters:
    ///   - build: called once, when the task starts. An error that it throws is the task's.
    ///   - progress: that of the upload.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        constructingBody build: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        progress: SessionTask.ProgressBlock? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> SessionTask {
        started(
            dataTask(
                "POST", url, headers: headers, body: .multipart(parameters ?? [:], build: build),
                uploadProgress: progress, success: success, failure: failure))
    }

    /// Runs a PUT; parameters go into the body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], success: @escaping Success,
        failure: Failure? = nil
    ) -> SessionTask {
        started(dataTask("PUT", url, parameters: parameters, headers: headers, success: success, failure: failure))
    }

    /// Runs a PATCH; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], success: @escaping Success,
        failure: Failure? = nil
    ) -> SessionTask {
        started(dataTask("PATCH", url, parameters: parameters, headers: headers, success: success, failure: failure))
    }

    /// Runs a DELETE; parameters go into the query.
    @discardableResult
    public func delete(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:], success: @escaping Success,
        failure: Failure? = nil
    ) -> SessionTask {
        started(dataTask("DELETE", url, parameters: parameters, headers: headers, success: success, failure: failure))
    }

    private func started(_ task: SessionTask) -> SessionTask {
        task.resume()
        return task
    }
}

// MARK: - Calls that wait

// Each throws the task's `NetworkingError`; cancelling the calling task cancels the session's.
extension HTTPSessionManager {
    /// Runs a GET, and gives the response with what `responseSerializer` made.
    public func get(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("GET", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a HEAD, as `get` does.
    @discardableResult
    public func head(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("HEAD", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a POST, as `get` does; parameters go into the body.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("POST", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a POST of a multipart form, as `get` does.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:],
        constructingBody build: @escaping @Sendable (inout MultipartFormData) throws -> Void
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("POST", url, headers: headers, body: .multipart(parameters ?? [:], build: build)).run()
    }

    /// Runs a PUT, as `get` does; parameters go into the body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("PUT", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a PATCH, as `get` does; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("PATCH", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a DELETE, as `get` does; parameters go into the query.
    @discardableResult
    public func delete(
        _ url: String, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("DELETE", url, parameters: parameters, headers: headers).run()
    }
}
