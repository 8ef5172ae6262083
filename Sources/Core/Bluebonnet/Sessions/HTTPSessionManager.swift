// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A session manager with a base URL and a call for each HTTP method: AFNetworking's `AFHTTPSessionManager`, with the
/// parameters of its version 4.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1/")!)
/// manager.get("me") { task, object in print(object) } failure: { task, error in print(error) }
/// let me = try await manager.get("me").value
/// ```
///
/// The tasks of these calls are already resumed. If a request cannot be made, its task fails. The other members are in
/// `SessionManaging`.
public final class HTTPSessionManager: SessionManaging {
    /// Called with the task and the serialized response.
    public typealias Success = @Sendable (_ task: SessionTask, _ object: any Sendable) -> Void
    /// Called with the task and its error.
    public typealias Failure = @Sendable (_ task: SessionTask, _ error: NetworkingError) -> Void

    /// The session manager that creates the tasks.
    public let session: SessionManager

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - baseURL: if the path does not end in a slash, a slash is added. Nil: the calls need absolute URLs.
    ///   - configuration: copied. Default `SessionConfiguration.default`.
    public convenience init(baseURL: URL? = nil, configuration: SessionConfiguration = .default) {
        self.init(SessionManager(optional: baseURL, configuration))
    }

    package init(_ session: SessionManager) { self.session = session }

    /// The URL against which relative URLs are resolved.
    public var baseURL: URL? { session.operationManager.baseURL }

    /// Makes requests from parameters. Default `HTTPRequestSerializer`.
    public var requestSerializer: any RequestSerializer {
        get { session.operationManager.requestSerializer }
        set { session.operationManager.requestSerializer = newValue }
    }

    /// Returns a manager without tasks, as `SessionManager.copied()` does.
    public func copied() -> HTTPSessionManager { HTTPSessionManager(session.copied()) }
}

extension HTTPSessionManager {
    /// Creates a suspended task for a method and a URL.
    ///
    /// - Parameters:
    ///   - method: the HTTP method, sent as given.
    ///   - url: resolved against `baseURL`.
    ///   - parameters: encoded by `requestSerializer`: for GET, HEAD and DELETE into the query, for other methods into
    ///     the body.
    ///   - headers: fields of this request only; each replaces the configuration's and the serializer's field of the
    ///     same name.
    ///   - body: encoded when the task starts; with a body, parameters go into the query.
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

    /// Runs a GET; parameters go into the query, and `progress` reports the download. For the arguments see `dataTask`.
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

    /// Runs a POST; parameters go into the body, and `progress` reports the upload.
    @discardableResult
    public func post(
        _ url: some URLReference, parameters: Parameters? = nil, headers: HeaderFields = [:],
        progress: SessionTask.ProgressBlock? = nil, success: @escaping Success, failure: Failure? = nil
    ) -> SessionTask {
        call("POST", url, parameters, headers, upload: progress, success, failure)
    }

    /// Runs a POST of a multipart form as an upload task: a part for each parameter, followed by the parts that `build`
    /// adds. `build` is called once, when the task starts. If it throws, the task fails with that error.
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

// Async calls. Each throws the task's `NetworkingError`; cancelling the calling task cancels the session task.
extension HTTPSessionManager {
    /// Runs a GET, and returns the response with the object that `responseSerializer` made.
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
    /// The contents of a manager, from which another process can create a manager: base URL, configuration with the
    /// current options, and serializers. It contains no tasks, blocks and queues. The options are encoded as
    /// `TransferOptions` is, credentials included: protect the archive accordingly.
    public struct Archive: Codable, Sendable {
        fileprivate let baseURL: URL?
        fileprivate let configuration: SessionConfiguration
        fileprivate let requestSerializer: RequestSerializerRecord
        fileprivate let responseSerializer: SerializerRecord
    }

    /// Returns an archive of the manager.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if a serializer is a custom type, or a serializer that cannot
    ///   be archived. The error names the type.
    public func archive() throws(NetworkingError) -> Archive {
        guard let request = RequestSerializerRecord(requestSerializer),
            let response = try? SerializerRecord(responseSerializer)
        else {
            let types = "\(type(of: requestSerializer)) or \(type(of: responseSerializer))"
            throw NetworkingError(.invalidRequest, "the serializer \(types) cannot be archived, nor can its manager")
        }
        return Archive(
            baseURL: baseURL, configuration: session.currentConfiguration, requestSerializer: request,
            responseSerializer: response)
    }

    /// Creates a manager from an archive.
    public convenience init(archive: Archive) {
        self.init(baseURL: archive.baseURL, configuration: archive.configuration)
        requestSerializer = archive.requestSerializer.serializer
        responseSerializer = archive.responseSerializer.serializer
    }
}
