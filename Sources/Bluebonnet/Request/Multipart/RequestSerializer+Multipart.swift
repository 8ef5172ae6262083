// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

// Requests whose body is a multipart form.
extension RequestSerializer {
    /// Makes a request whose body is a multipart form: a part for each parameter, then what `build` adds.
    ///
    /// Parameters are flattened as for a query (`key[member]`, `key[]`), their names not escaped; `Data` goes as it is.
    /// The body is an `InputStream`, and `Content-Length` says its exact length. Without any part the request is the
    /// one that the serializer makes for no parameters.
    /// - Throws: what `build` throws; `NetworkingError` with `invalidRequest`, for GET and HEAD too, which have no
    ///   body.
    public func multipartRequest(
        method: String = "POST", url: URL, parameters: Parameters? = nil,
        build: (inout MultipartFormData) throws -> Void
    ) throws -> URLRequest {
        guard !["GET", "HEAD"].contains(method.uppercased()) else {
            throw NetworkingError(.invalidRequest, "a \(method) request has no body, so no multipart form")
        }
        var request = try self.request(method: method, url: url, parameters: nil)
        var form = MultipartFormData()
        if let parameters { try form.append(parameters) }
        try build(&form)
        if !form.isEmpty { request.setBody(form) }
        return request
    }

    /// Writes a request's body stream to a file, and gives the request without a body, to be sent with that file as its
    /// operation's `uploadFile`: for servers that cannot take a body as it is made, or to send it several times.
    ///
    /// It runs on a queue of the library's. The file is replaced if it is there, and taken away again by an error. A
    /// stream that can be had again (`ReplayableBodyStream`) stays fresh in the request that was given.
    /// - Throws: `NetworkingError` with `invalidRequest` without a stream; `cannotReadFile`, `cannotOpenFile` or
    ///   `cannotWriteFile`.
    public func request(_ request: URLRequest, writingBodyTo file: URL) async throws(NetworkingError) -> URLRequest {
        let result = await withCheckedContinuation { waiter in
            Queues.preparation.async {
                waiter.resume(
                    returning: Result { () throws(NetworkingError) in try Self.write(request, to: file) })
            }
        }
        return try result.get()
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
    /// Sets a multipart form as the body, with its type and length, whatever the request says of them already: only the
    /// form knows its boundary.
    mutating func setBody(_ form: MultipartFormData) {
        let stream = form.makeStream()
        httpBodyStream = stream
        setValue(form.contentType, forHTTPHeaderField: "Content-Type")
        setValue(String(stream.byteCount), forHTTPHeaderField: "Content-Length")
    }
}
