// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

/// The body of one call, independent of the manager's request serializer.
///
/// ```swift
/// let user: User = try await manager.post("users", body: .json(NewUser(name: "Ada")))
/// ```
///
/// The body is encoded when the operation starts, on a queue of the library. If the encoding fails, the operation fails
/// and nothing is sent. A `Content-Type` among the call's headers replaces the content type of the body. For a
/// multipart form it must be `multipart/…`, and it gets the form's boundary.
public struct RequestBody: Sendable {
    /// Sets the body of a request that already has its headers; the encoder is the manager's.
    let encode: @Sendable (inout URLRequest, JSONEncoder) throws -> Void
    /// The file to send as the body.
    var file: URL?
    /// The bytes to send and their content type, if the bytes exist already.
    var bytes: (data: Data, contentType: String)?
    /// The kind of body, for descriptions.
    private let kind: String

    private init(
        _ kind: String, encode: @escaping @Sendable (inout URLRequest, JSONEncoder) throws -> Void
    ) {
        (self.kind, self.encode) = (kind, encode)
    }

    /// A value as JSON.
    ///
    /// - Parameters:
    ///   - value: encoded when the operation starts.
    ///   - encoder: nil for the `encoder` of the manager that makes the request.
    public static func json(_ value: some Encodable & Sendable, encoder: JSONEncoder? = nil) -> RequestBody {
        encoded(value, encoder)
    }

    /// A JSON value, for instance a literal: `.json(["id": 17, "name": "Ada"])`. Encoded by the `encoder` of
    /// the manager that makes the request.
    public static func json(_ value: JSONValue) -> RequestBody { encoded(value, nil) }

    /// Members of a JSON object, of several types: `.json(["id": order.id, "note": note])`. Encoded by the `encoder` of
    /// the manager that makes the request; nil becomes `null`.
    @_disfavoredOverload
    public static func json(_ members: [String: (any Encodable & Sendable)?]) -> RequestBody {
        encoded(JSONMembers(members), nil)
    }

    private static func encoded(_ value: some Encodable & Sendable, _ encoder: JSONEncoder?) -> RequestBody {
        RequestBody("JSON") { request, usual in
            request = try JSONRequestSerializer.bare.request(request, encoding: value, with: encoder ?? usual)
        }
    }

    /// A value as a property list.
    public static func propertyList(
        _ value: some Encodable & Sendable, format: PropertyListRequestSerializer.Format = .xml
    ) -> RequestBody {
        RequestBody("a property list") { request, _ in
            var serializer = PropertyListRequestSerializer(format: format)
            serializer.http.headers = [:]
            request = try serializer.request(request, encoding: value)
        }
    }

    /// Parameters as a URL-encoded form.
    public static func form(_ parameters: Parameters) -> RequestBody {
        RequestBody("a form") { request, _ in
            let form = try QueryEncoder().encode(parameters)
            request.setBody(Data(form.utf8), contentType: "application/x-www-form-urlencoded")
        }
    }

    /// A multipart form: a part for each parameter, followed by the parts that `build` adds.
    ///
    /// - Parameters:
    ///   - parameters: each becomes a part with its text.
    ///   - build: called once, when the operation starts.
    public static func multipart(
        _ parameters: Parameters = [:], build: @escaping @Sendable (inout MultipartFormData) throws -> Void = { _ in }
    ) -> RequestBody {
        RequestBody("a multipart form") { request, _ in
            var form = MultipartFormData()
            try form.append(parameters)
            try build(&form)
            try request.setBody(form)
        }
    }

    /// Bytes, sent unmodified.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestBody {
        var body = RequestBody("\(data.count) bytes of \(contentType)") { request, _ in
            request.setBody(data, contentType: contentType)
        }
        body.bytes = (data, contentType)
        return body
    }

    /// Text, as UTF-8.
    public static func text(_ text: String) -> RequestBody {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// A file, streamed from disk.
    ///
    /// - Parameters:
    ///   - url: the file, which is read when the request is sent.
    ///   - contentType: nil for the type that the system's table has for the file name's extension.
    public static func file(_ url: URL, contentType: String? = nil) -> RequestBody {
        var body = RequestBody("the file \(url.path)") { request, _ in
            let type = contentType ?? MIMETypes.ofThisSystem.type(ofExtension: url.pathExtension)
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                request.setValue(type, forHTTPHeaderField: "Content-Type")
            }
        }
        body.file = url
        return body
    }

    /// The pieces of an asynchronous sequence, sent as they come and as fast as the server reads them.
    ///
    /// The sequence is read once: a retry or a redirect that needs the body again fails with `bodyStreamExhausted`. If
    /// the sequence throws, the operation fails with that error as `underlying`, and the server does not receive a
    /// complete body.
    ///
    /// - Parameters:
    ///   - sequence: the pieces; empty ones are skipped.
    ///   - byteCount: the length of the body, sent as `Content-Length`. A sequence of another length is the error
    ///     `invalidRequest`. Default nil: unknown; over HTTP/1.1 the body is then sent in chunks.
    ///   - contentType: the content type.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ sequence: Pieces, byteCount: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> RequestBody where Pieces.Element: Sequence<UInt8> {
        produced(byteCount, contentType, SequenceProducer(isRestartable: false) { sequence })
    }

    /// The pieces of an asynchronous sequence that can be made again, for a retry or a redirect.
    ///
    /// - Parameters:
    ///   - byteCount: the length of the body, as in `stream(_:byteCount:contentType:)`.
    ///   - contentType: the content type.
    ///   - make: makes the sequence from its start; called for each transfer that sends the body.
    public static func stream<Pieces: AsyncSequence>(
        byteCount: Int64? = nil, contentType: String = "application/octet-stream",
        restartable make: @escaping @Sendable () async throws -> Pieces
    ) -> RequestBody where Pieces.Element: Sequence<UInt8> {
        produced(byteCount, contentType, SequenceProducer(isRestartable: true, make: make))
    }

    /// The pieces of an asynchronous sequence, followed by a trailer section (RFC 9110, 6.5), for instance with a
    /// digest of the pieces.
    ///
    /// The body is sent in chunks over HTTP/1.1, also to a server that speaks HTTP/2: libcurl sends trailers only
    /// there. A request that requires HTTP/2 (`http2PriorKnowledge`) or has a `Content-Length` fails with
    /// `invalidRequest`, and nothing is sent. The header field `Trailer` should name the fields (RFC 9110, 6.6.2); it
    /// is not added.
    ///
    /// - Parameters:
    ///   - sequence: the pieces, as in `stream(_:byteCount:contentType:)`.
    ///   - contentType: the content type.
    ///   - trailers: returns the fields after the last piece, in the task that reads the sequence. If it throws, the
    ///     operation fails with that error as `underlying`. Fields that belong into the header section (RFC 9110,
    ///     6.5.1), values that cannot be sent and more than 60 KiB are the error `invalidRequest`. In each of these
    ///     cases the server does not receive a complete body.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ sequence: Pieces, contentType: String = "application/octet-stream",
        trailers: @escaping @Sendable () async throws -> HeaderFields
    ) -> RequestBody where Pieces.Element: Sequence<UInt8> {
        produced(nil, contentType, SequenceProducer(isRestartable: false, trailers: trailers) { sequence })
    }

    /// The pieces of an asynchronous sequence that can be made again, followed by a trailer section.
    ///
    /// - Parameters:
    ///   - contentType: the content type.
    ///   - make: makes the sequence from its start; called for each transfer that sends the body.
    ///   - trailers: called at the end of each sequence, as in `stream(_:contentType:trailers:)`.
    public static func stream<Pieces: AsyncSequence>(
        contentType: String = "application/octet-stream",
        restartable make: @escaping @Sendable () async throws -> Pieces,
        trailers: @escaping @Sendable () async throws -> HeaderFields
    ) -> RequestBody where Pieces.Element: Sequence<UInt8> {
        produced(nil, contentType, SequenceProducer(isRestartable: true, trailers: trailers, make: make))
    }

    private static func produced(
        _ byteCount: Int64?, _ contentType: String, _ producer: some BodyProducer
    ) -> RequestBody {
        let size = byteCount.map { "\($0) bytes" } ?? "unknown length"
        return RequestBody("a stream of \(size)") { request, _ in
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                request.setValue(contentType, forHTTPHeaderField: "Content-Type")
            }
            if let byteCount { request.setValue(String(byteCount), forHTTPHeaderField: "Content-Length") }
            request.httpBodyStream = ProducedBodyStream(producer)
        }
    }
}

/// Produces a body from a sequence.
private struct SequenceProducer<Pieces: AsyncSequence>: BodyProducer where Pieces.Element: Sequence<UInt8> {
    let isRestartable: Bool
    /// Returns the trailer section; nil if none follows the body.
    private let trailersAtEnd: (@Sendable () async throws -> HeaderFields)?
    let make: @Sendable () async throws -> Pieces

    init(
        isRestartable: Bool, trailers: (@Sendable () async throws -> HeaderFields)? = nil,
        make: @escaping @Sendable () async throws -> Pieces
    ) {
        (self.isRestartable, trailersAtEnd, self.make) = (isRestartable, trailers, make)
    }

    var hasTrailers: Bool { trailersAtEnd != nil }

    func trailers() async throws -> HeaderFields { try await trailersAtEnd?() ?? HeaderFields() }

    func produce(_ send: @Sendable (_ piece: Data) async throws -> Bool) async throws {
        for try await piece in try await make() {
            guard try await send(piece as? Data ?? Data(piece)) else { return }
        }
    }
}

extension JSONRequestSerializer {
    /// A serializer that adds no header field except the content type.
    fileprivate static var bare: JSONRequestSerializer {
        var serializer = JSONRequestSerializer()
        serializer.http.headers = [:]
        return serializer
    }
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
    /// The kind of the body, such as `JSON` or `the file /tmp/a.bin`, without its contents.
    public var description: String { kind }

    /// A mirror without the contents of the body.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}
