// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A request that a test expects to be sent: its method, its target, and optionally some of its fields and its body.
public struct ExpectedRequest: Sendable {
    /// The body of an expected request.
    public struct Body: Sendable {
        enum Content: Sendable {
            case any
            case bytes(Data)
            case json(JSONValue?)
        }

        let content: Content

        /// Any body, including an empty one.
        public static let any = Body(content: .any)
        /// No body.
        public static let empty = Body(content: .bytes(Data()))

        /// These bytes.
        public static func data(_ data: Data) -> Body { Body(content: .bytes(data)) }

        /// This text, in UTF-8.
        public static func text(_ text: String) -> Body { data(Data(text.utf8)) }

        /// JSON of this value, regardless of white space and the order of members. A value that cannot be encoded
        /// matches no body.
        public static func json(_ value: some Encodable) -> Body {
            Body(content: .json((try? JSONEncoder().encode(value)).flatMap { try? JSONValue(parsing: $0) }))
        }

        /// JSON of this value, for example of a literal: `.json(["id": 17, "name": "Ada"])`.
        public static func json(_ value: JSONValue) -> Body { Body(content: .json(value)) }

        /// JSON of members of several types: `.json(["id": user.id, "name": "Ada"])`. Nil becomes `null`.
        @_disfavoredOverload
        public static func json(_ members: [String: (any Encodable & Sendable)?]) -> Body { json(JSONMembers(members)) }
    }

    /// The method.
    public var method: String
    /// The path and query as sent, for example `/users?page=2`, or an absolute URL.
    public var target: String
    /// The fields that must be present with these values; other fields are ignored.
    public var headers: HeaderFields
    /// The body.
    public var body: Body

    /// Makes an expected request.
    public init(_ method: String, _ target: String, headers: HeaderFields = [:], body: Body = .any) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// Returns an expected GET request.
    public static func get(_ target: String, headers: HeaderFields = [:]) -> ExpectedRequest {
        ExpectedRequest("GET", target, headers: headers)
    }

    /// Returns an expected POST request.
    public static func post(_ target: String, headers: HeaderFields = [:], body: Body = .any) -> ExpectedRequest {
        ExpectedRequest("POST", target, headers: headers, body: body)
    }

    /// Returns an expected PUT request.
    public static func put(_ target: String, headers: HeaderFields = [:], body: Body = .any) -> ExpectedRequest {
        ExpectedRequest("PUT", target, headers: headers, body: body)
    }

    /// Returns an expected PATCH request.
    public static func patch(_ target: String, headers: HeaderFields = [:], body: Body = .any) -> ExpectedRequest {
        ExpectedRequest("PATCH", target, headers: headers, body: body)
    }

    /// Returns an expected DELETE request.
    public static func delete(_ target: String, headers: HeaderFields = [:]) -> ExpectedRequest {
        ExpectedRequest("DELETE", target, headers: headers)
    }
}

// MARK: - Comparison

extension ExpectedRequest {
    /// Returns the differences of a request from the expected one, one line each; empty for a match.
    func faults(of request: SentRequest) -> [String] {
        var faults: [String] = []
        let target = self.target.hasPrefix("/") ? request.target : request.url.absoluteString
        if method != request.method { faults.append(Self.fault("method", method, request.method)) }
        if self.target != target { faults.append(Self.fault("target", self.target, target)) }
        for name in Set(headers.map { $0.name.lowercased() }).sorted() {
            let (wanted, sent) = (headers.values(for: name), request.headers.values(for: name))
            if wanted != sent {
                faults.append(Self.fault("field " + name, wanted.shown, sent.isEmpty ? "none" : sent.shown))
            }
        }
        return faults + bodyFaults(of: request)
    }

    private func bodyFaults(of request: SentRequest) -> [String] {
        let sent = request.body.isEmpty ? "none" : request.body.shown
        switch body.content {
        case .any: return []
        case .bytes(let bytes):
            return bytes == request.body ? [] : [Self.fault("body", bytes.isEmpty ? "none" : bytes.shown, sent)]
        case .json(let value):
            guard let value else { return ["body: the expected value cannot be encoded as JSON"] }
            return request.json == value ? [] : [Self.fault("body", value.jsonText, sent)]
        }
    }

    private static func fault(_ part: String, _ wanted: String, _ sent: String) -> String {
        "\(part): expected \(wanted), sent \(sent)"
    }
}

extension [String] {
    fileprivate var shown: String { joined(separator: ", ") }
}

extension ExpectedRequest: CustomStringConvertible {
    /// The method, the target and the beginning of the body, in one line.
    public var description: String {
        let text: String? =
            switch body.content {
            case .any: nil
            case .bytes(let bytes): bytes.isEmpty ? nil : bytes.shown
            case .json(let value): value?.jsonText
            }
        return "\(method) \(target)" + (text.map { " " + $0 } ?? "")
    }
}
