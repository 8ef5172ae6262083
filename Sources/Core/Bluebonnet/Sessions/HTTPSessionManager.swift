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
/// Tasks of these calls are resumed already. A request that cannot be made is a task that fails. The other members are
/// those of `SessionManaging`.
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

    package init(_ session: SessionManager) { self.session = session }

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

extension HTTPSessionManager {
    /// Makes a suspended task for a method and a URL.
    ///
    /// - Parameters:
    ///   - method: as it is sent.
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
        _ method: String, _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        body: RequestBody? = nil, uploadProgress: SessionTask.ProgressBlock? = nil,
        downloadProgress: SessionTask.ProgressBlock? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> SessionTask {
        let tasks = session.tasksAndBlocks
        let operation = tasks.manager.operation(method, url, parameters: parameters, headers: headers, body: body)
        let completion = success == nil && failure == nil ? nil : SessionTask.Completion.verb(success, failure)
        let extras = SessionTask.Extras(upload: uploadProgress, download: downloadProgress)
        return tasks.task(operation, body == nil ? .data : .upload, completion, extras)
    }

    /// Runs a GET; parameters go into the query, and the progress is that of the download. For the arguments see
    /// `dataTask`.
    @discardableResult
    public func get(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        progress: SessionTask.ProgressBlock? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> SessionTask {
        call("GET", url, parameters, headers, download: progress, success, failure)
    }

    /// Runs a HEAD; parameters go into the query.
    @discardableResult
    public func head(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        success: @escaping @Sendable (_ task: SessionTask) -> Void, failure: Failure? = nil
    ) -> SessionTask {
        call("HEAD", url, parameters, headers, { task, _ in success(task) }, failure)
    }

    /// Runs a POST; parameters go into the body, and the progress is that of the upload.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        progress: SessionTask.ProgressBlock? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> SessionTask {
        call("POST", url, parameters, headers, upload: progress, success, failure)
    }

    /// Runs a POST of a multipart form as an upload task: a part for each parameter, then what `build` adds, which is
    /// called once, when the task starts. An error that it throws is the task's.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        constructingBody build: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        progress: SessionTask.ProgressBlock? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> SessionTask {
        let form = RequestBody.multipart(parameters ?? [:], build: build)
        return call("POST", url, nil, headers, body: form, upload: progress, success, failure)
    }

    /// Runs a PUT; parameters go into the body.
    @discardableResult
    public func put(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        success: @escaping Success,
        failure: Failure? = nil
    ) -> SessionTask {
        call("PUT", url, parameters, headers, success, failure)
    }

    /// Runs a PATCH; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        success: @escaping Success,
        failure: Failure? = nil
    ) -> SessionTask {
        call("PATCH", url, parameters, headers, success, failure)
    }

    /// Runs a DELETE; parameters go into the query.
    @discardableResult
    public func delete(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        success: @escaping Success,
        failure: Failure? = nil
    ) -> SessionTask {
        call("DELETE", url, parameters, headers, success, failure)
    }

    private func call(
        _ method: String, _ url: some URLReference, _ parameters: Parameters?, _ headers: HeaderFields,
        body: RequestBody? = nil,
        upload: SessionTask.ProgressBlock? = nil, download: SessionTask.ProgressBlock? = nil,
        _ success: @escaping Success, _ failure: Failure?
    ) -> SessionTask {
        let task = dataTask(
            method, url, parameters: parameters, headers: headers, body: body, uploadProgress: upload,
            downloadProgress: download, success: success, failure: failure)
        task.resume()
        return task
    }
}

// Calls that wait. Each throws the task's `NetworkingError`; cancelling the calling task cancels the session's.
extension HTTPSessionManager {
    /// Runs a GET, and gives the response with what `responseSerializer` made.
    public func get(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("GET", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a HEAD, as `get` does.
    @discardableResult
    public func head(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("HEAD", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a POST, as `get` does; parameters go into the body.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("POST", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a POST of a multipart form, as `get` does.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        constructingBody build: @escaping @Sendable (inout MultipartFormData) throws -> Void
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("POST", url, headers: headers, body: .multipart(parameters ?? [:], build: build)).run()
    }

    /// Runs a PUT, as `get` does; parameters go into the body.
    @discardableResult
    public func put(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("PUT", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a PATCH, as `get` does; parameters go into the body.
    @discardableResult
    public func patch(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("PATCH", url, parameters: parameters, headers: headers).run()
    }

    /// Runs a DELETE, as `get` does.
    @discardableResult
    public func delete(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(NetworkingError) -> Response<any Sendable> {
        try await dataTask("DELETE", url, parameters: parameters, headers: headers).run()
    }
}

extension HTTPSessionManager {
    /// The contents of a manager that another process can make one of: base URL, configuration with the current
    /// options, and serializers. It has no tasks, blocks and queues. The options are coded as `TransferOptions` is,
    /// credentials included: protect the archive accordingly.
    public struct Archive: Codable, Sendable {
        fileprivate let baseURL: URL?
        fileprivate let configuration: SessionConfiguration
        fileprivate let requestSerializer: RequestSerializerRecord
        fileprivate let responseSerializer: SerializerRecord
    }

    /// An archive of the manager.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when a serializer is not the library's, or is one that no
    ///   archive can hold. The error names the type.
    public func archive() throws(NetworkingError) -> Archive {
        guard let request = RequestSerializerRecord(requestSerializer),
            let response = try? SerializerRecord(responseSerializer)
        else {
            let types = "\(type(of: requestSerializer)) or \(type(of: responseSerializer))"
            throw NetworkingError(.invalidRequest, "the serializer \(types) has no archive, so its manager has none")
        }
        return Archive(
            baseURL: baseURL, configuration: session.currentConfiguration, requestSerializer: request,
            responseSerializer: response)
    }

    /// Makes a manager from an archive.
    public convenience init(archive: Archive) {
        self.init(baseURL: archive.baseURL, configuration: archive.configuration)
        requestSerializer = archive.requestSerializer.serializer
        responseSerializer = archive.responseSerializer.serializer
    }
}
