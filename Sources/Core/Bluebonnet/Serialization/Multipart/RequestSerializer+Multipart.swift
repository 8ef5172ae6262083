// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

// Requests whose body is a multipart form.
extension RequestSerializer {
    /// Makes a request whose body is a multipart form: one part for each parameter, then the parts that `build` adds.
    ///
    /// Parameters are flattened as for a query (`key[member]`, `key[]`); their names are not escaped. `Data` is sent
    /// unchanged, text in the serializer's `stringEncoding`. The body is an `InputStream`, and `Content-Length` is its
    /// exact length. A `Content-Type` in the serializer's headers is kept if it is `multipart/…`, with the boundary of
    /// the form; any other type is an error. A form without parts makes the serializer's request without a body.
    /// - Throws: the errors of `build`; `NetworkingError` with `invalidRequest`, also for GET and HEAD, which have no
    ///   body.
    public func multipartRequest(
        method: String = "POST", url: URL, parameters: Parameters? = nil,
        build: (inout MultipartFormData) throws -> Void
    ) throws -> URLRequest {
        guard !["GET", "HEAD"].contains(method.uppercased()) else {
            throw NetworkingError(.invalidRequest, "a \(method) request cannot have a multipart form as its body")
        }
        var form = MultipartFormData()
        if let parameters { try form.append(parameters, encoding: formEncoding) }
        try build(&form)
        if form.isEmpty { return try self.request(method: method, url: url, parameters: nil) }
        var request = URLRequest(url: url, method: method)
        properties.apply(to: &request)
        request.httpBodyStream = form.makeStream()  // first: a serializer adds a body to a request without one
        try complete(&request, with: nil)
        try request.setBody(form)
        return request
    }

    /// The encoding for the text values of a form.
    private var formEncoding: String.Encoding {
        switch self {
        case let serializer as HTTPRequestSerializer: serializer.stringEncoding
        case let serializer as JSONRequestSerializer: serializer.http.stringEncoding
        case let serializer as PropertyListRequestSerializer: serializer.http.stringEncoding
        default: .utf8
        }
    }

    /// Writes a request's body stream to a file, and returns the request without a body. To send the returned request,
    /// set the file as the operation's `uploadFile`. Use this for a server that refuses streamed bodies, or for a body
    /// that is sent several times.
    ///
    /// The stream is read on a queue of the library. An existing file is replaced, and the file is removed after an
    /// error. If the stream is a `ReplayableBodyStream`, a replay is read, and the original request can still be sent.
    /// - Throws: `NetworkingError` with `invalidRequest` without a stream; with `cannotReadFile`, `cannotOpenFile` or
    ///   `cannotWriteFile`.
    public func request(_ request: URLRequest, writingBodyTo file: URL) async throws(NetworkingError) -> URLRequest {
        try await Queues.blocking.run { () throws(NetworkingError) in try Self.write(request, to: file) }
    }

    private static func write(_ request: URLRequest, to file: URL) throws(NetworkingError) -> URLRequest {
        guard let stream = request.httpBodyStream else {
            throw NetworkingError(.invalidRequest, "the request has no body stream to write to \(file.path)")
        }
        try BodyFile.write((stream as? any ReplayableBodyStream)?.makeReplay() ?? stream, to: file)
        var request = request
        request.httpBodyStream = nil
        return request
    }
}

extension URLRequest {
    /// Sets a multipart form as the body, with its `Content-Length` and `Content-Type`. A multipart type that the
    /// request already has is kept, with the form's boundary.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if the request's own type or length contradicts the form.
    package mutating func setBody(_ form: MultipartFormData) throws(NetworkingError) {
        let type = try contentType(of: form)
        let stream = form.makeStream()
        if let length = value(forHTTPHeaderField: "Content-Length") {
            _ = try RequestCheck.contentLength(length, of: stream.byteCount)
        }
        httpBodyStream = stream
        setValue(type, forHTTPHeaderField: "Content-Type")
        setValue(String(stream.byteCount), forHTTPHeaderField: "Content-Length")
    }

    private func contentType(of form: MultipartFormData) throws(NetworkingError) -> String {
        guard let own = value(forHTTPHeaderField: "Content-Type") else { return form.contentType }
        guard let type = MultipartContentType.text(own, boundary: form.boundary) else {
            throw NetworkingError(
                .invalidRequest,
                "the header Content-Type is \(RequestCheck.shown(own)), but the body is a multipart form, "
                    + "whose type must be multipart/… with closed quotes: remove the header, or set such a type "
                    + "without a boundary")
        }
        return type
    }
}
