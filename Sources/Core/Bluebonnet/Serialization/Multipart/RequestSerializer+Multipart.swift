// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

// Requests whose body is a multipart form.
extension RequestSerializer {
    /// Makes a request whose body is a multipart form: a part for each parameter, then what `build` adds.
    ///
    /// Parameters are flattened as for a query (`key[member]`, `key[]`), their names not escaped; `Data` is sent
    /// unchanged, text in the serializer's `stringEncoding`. The body is an `InputStream`, and `Content-Length` says
    /// its exact length. A `Content-Type` of the serializer's headers is kept when it is `multipart/…`, with the
    /// boundary of the form; any other type is an error. A form without parts gives the serializer's request without
    /// parameters.
    /// - Throws: what `build` throws; `NetworkingError` with `invalidRequest`, for GET and HEAD too, which have no
    ///   body.
    public func multipartRequest(
        method: String = "POST", url: URL, parameters: Parameters? = nil,
        build: (inout MultipartFormData) throws -> Void
    ) throws -> URLRequest {
        guard !["GET", "HEAD"].contains(method.uppercased()) else {
            throw NetworkingError(.invalidRequest, "a \(method) request has no body, so no multipart form")
        }
        var form = MultipartFormData()
        if let parameters { try form.append(parameters, encoding: formEncoding) }
        try build(&form)
        if form.isEmpty { return try self.request(method: method, url: url, parameters: nil) }
        var request = URLRequest(url: url, method: method)
        properties.apply(to: &request)
        request.httpBodyStream = form.makeStream()  // first: to a request without a body, a serializer adds its own
        try complete(&request, with: nil)
        try request.setBody(form)
        return request
    }

    /// The encoding of the texts of a form.
    private var formEncoding: String.Encoding {
        switch self {
        case let serializer as HTTPRequestSerializer: serializer.stringEncoding
        case let serializer as JSONRequestSerializer: serializer.http.stringEncoding
        case let serializer as PropertyListRequestSerializer: serializer.http.stringEncoding
        default: .utf8
        }
    }

    /// Writes a request's body stream to a file, and returns the request without a body. Send that request with the
    /// file as its operation's `uploadFile`: for servers that cannot take a body while it is made, or to send a body
    /// several times.
    ///
    /// The work runs on a queue of the library. An existing file is replaced; after an error the file is removed. A
    /// `ReplayableBodyStream` stays unread in the request that was given.
    /// - Throws: `NetworkingError` with `invalidRequest` without a stream; `cannotReadFile`, `cannotOpenFile` or
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
    /// Sets a multipart form as the body, with its length and, in a type of the request's own, with its boundary.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when the request's own type or length contradicts the form.
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
                "the header Content-Type says \(RequestCheck.shown(own)), but the body is a multipart form, "
                    + "whose type has to be multipart/…, its quotes closed: leave the header out, or set such a type "
                    + "without a boundary")
        }
        return type
    }
}
