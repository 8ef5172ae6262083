// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// One request of a recording, with its response or its error.
public struct RecordedExchange: Sendable, Codable, Equatable {
    /// The request as sent.
    public struct Request: Sendable, Codable, Equatable {
        /// The method.
        public var method: String
        /// The absolute URL, without fragment.
        public var url: String
        /// The header fields that the library sets, in order.
        public var headers: [RecordedField]
        /// The body; nil for an empty body.
        public var body: RecordedBody?
    }

    /// The response, with its content coding decoded.
    public struct Response: Sendable, Codable, Equatable {
        /// The status code.
        public var status: Int
        /// The header fields, without `Content-Length` and the fields of a content or transfer coding.
        public var headers: [RecordedField]
        /// The body; nil for an empty body.
        public var body: RecordedBody?
    }

    /// The error of a request without a response.
    public struct Failure: Sendable, Codable, Equatable {
        /// The code of the `NetworkingError`.
        public var code: String
        /// The description of the error.
        public var text: String
    }

    /// The request.
    public var request: Request
    /// The response; nil without one.
    public var response: Response?
    /// The error; nil if there was a response.
    public var failure: Failure?

    init(_ request: SentRequest) {
        let type = request.headers["Content-Type"]
        let body = RecordedBody(request.body, type: type)
        var headers = request.headers.recorded
        if let boundary = RecordedBody.boundary(in: type) {
            for index in headers.indices {
                headers[index].value = headers[index].value.replacingOccurrences(of: boundary, with: "boundary")
            }
        }
        self.request = Request(
            method: request.method, url: request.url.absoluteString, headers: headers,
            body: body == .empty ? nil : body)
    }

    mutating func setResponse(_ status: Int, _ headers: HeaderFields, _ data: Data) {
        let left = ["content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive"]
        let body = RecordedBody(data, type: headers["Content-Type"])
        response = Response(
            status: status, headers: headers.recorded.filter { !left.contains($0.name.lowercased()) },
            body: body == .empty ? nil : body)
    }

    mutating func setFailure(_ error: NetworkingError) {
        failure = Failure(code: error.code.rawValue, text: error.description)
    }

    /// The answer to the request when the exchange is played.
    var answer: TestAnswer {
        if let response {
            let headers = HeaderFields(response.headers.map { ($0.name, $0.value) })
            return TestAnswer(status: response.status, headers: headers, body: response.body?.data ?? Data())
        }
        let failure =
            failure ?? Failure(code: "badServerResponse", text: "the recording has neither response nor failure")
        return .failure(NetworkingError(.init(rawValue: failure.code), failure.text))
    }
}

/// A header field of a recording.
public struct RecordedField: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
}

extension RecordedField: Codable {
    /// Reads a text of the form `Name: value`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let colon = text.firstIndex(of: ":") else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no colon in the field \"\(text)\"")
        }
        name = String(text[..<colon])
        value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }

    /// Writes a text of the form `Name: value`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(name): \(value)")
    }
}

extension HeaderFields {
    fileprivate var recorded: [RecordedField] { map { RecordedField(name: $0.name, value: $0.value) } }
}
