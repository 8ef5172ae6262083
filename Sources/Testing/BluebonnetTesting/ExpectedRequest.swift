// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A request that a test expects to be sent: its method, its target, and as much of fields and body as the test says.
public struct ExpectedRequest: Sendable {
    /// The body of an expected request.
    public struct Body: Sendable {
        enum Content: Sendable {
            case any
            case bytes(Data)
            case json(JSONValue?)
        }

        let content: Content

        /// Any body, or none.
        public static let any = Body(content: .any)
        /// No body.
        public static let empty = Body(content: .bytes(Data()))

        /// These bytes.
        public static func data(_ data: Data) -> Body { Body(content: .bytes(data)) }

        /// This text, in UTF-8.
        public static func text(_ text: String) -> Body { data(Data(text.utf8)) }

        /// JSON that stands for this value, whatever the order of members and the white space. No body equals a value
        /// that cannot be encoded.
        public static func json(_ value: some Encodable) -> Body {
            Body(content: .json((try? JSONEncoder().encode(value)).flatMap { try? JSONValue(parsing: $0) }))
        }

        /// JSON of this value, for instance of a literal: `.json(["id": 17, "name": "Ada"])`.
        public static func json(_ value: JSONValue) -> Body { Body(content: .json(value)) }

        /// JSON of members of several types: `.json(["id": user.id, "name": "Ada"])`. Nil is `null`.
        @_disfavoredOverload
        public static func json(_ members: [String: (any Encodable & Sendable)?]) -> Body { json(JSONMembers(members)) }
    }

    /// The method.
    public var method: String
    /// Path and query as they are sent, for instance `/users?page=2`, or an absolute URL.
    public var target: String
    /// Fields that have to be there with these values; others are not looked at.
    public var headers: HeaderFields
    /// The body.
    public var body: Body

    /// Makes an expected request.
    public init(_ method: String, _ target: String, headers: HeaderFields = [:], body: Body = .any) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// A GET request.
    public static func get(_ target: String, headers: HeaderFields = [:]) -> ExpectedRequest {
        ExpectedRequest("GET", target, headers: headers)
    }

    /// A POST request.
    public static func post(_ target: String, headers: HeaderFields = [:], body: Body = .any) -> ExpectedRequest {
        ExpectedRequest("POST", target, headers: headers, body: body)
    }

    /// A PUT request.
    public static func put(_ target: String, headers: HeaderFields = [:], body: Body = .any) -> ExpectedRequest {
        ExpectedRequest("PUT", target, headers: headers, body: body)
    }

    /// A PATCH request.
    public static func patch(_ target: String, headers: HeaderFields = [:], body: Body = .any) -> ExpectedRequest {
        ExpectedRequest("PATCH", target, headers: headers, body: body)
    }

    /// A DELETE request.
    public static func delete(_ target: String, headers: HeaderFields = [:]) -> ExpectedRequest {
        ExpectedRequest("DELETE", target, headers: headers)
    }
}

// MARK: - Comparison

extension ExpectedRequest {
    /// What of a request differs, each in a line; empty when it is as expected.
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
    /// Method, target and the beginning of the body, in one line.
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
