// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// A request: method, URL, header fields and a body in memory.
///
/// ```swift
/// var request = HTTPRequest(url: URL(string: "https://api.example.com/users")!)
/// request.headers["Accept"] = "application/json"
/// let users = try await manager.run(manager.operation(with: request))
/// ```
///
/// Bodies from files and forms belong to the call or the operation (`RequestBody`, `RequestOperation.uploadFile`).
/// A request is not checked until it is sent: then the operation fails with `invalidRequest` or `badURL`.
///
/// A request that was made from a `URLRequest` keeps the other properties of that `URLRequest`, such as the cache
/// policy and the body stream. Two requests are equal if their methods, URLs, header fields and bodies are equal.
public struct HTTPRequest: Sendable {
    /// The method. The names GET, HEAD, POST, PUT, DELETE and CONNECT are converted to upper case, as in Foundation;
    /// any other method is sent as written (RFC 9110, 9.1). Default `GET`.
    public var method: String {
        didSet {
            method = Self.normalized(method)
            foundation?.httpMethod = method
        }
    }
    /// The absolute URL.
    public var url: URL { didSet { foundation?.url = url } }
    /// The header fields of this request, in the order in which they are sent.
    public var headers: HeaderFields {
        didSet {
            guard var request = foundation else { return }
            request.allHTTPHeaderFields = nil
            headers.write(to: &request)
            foundation = request
        }
    }
    /// The body. Setting it replaces a body stream. Default nil: no body.
    public var body: Data? { didSet { foundation?.httpBody = body } }
    /// The same request as a `URLRequest`, kept in sync. Nil unless the request was made from a `URLRequest`, or has
    /// properties that only a `URLRequest` has: making one takes longer than sending a small request.
    private var foundation: URLRequest?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: default `GET`.
    ///   - url: an absolute URL.
    ///   - headers: default none.
    ///   - body: default none.
    public init(_ method: String = "GET", url: URL, headers: HeaderFields = [:], body: Data? = nil) {
        (self.method, self.url, self.headers, self.body) = (Self.normalized(method), url, headers, body)
    }

    /// Makes a request from Foundation's form; nil if that form has no URL. Header fields are sorted by name, because
    /// Foundation does not keep their order.
    public init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        (self.url, method, body) = (url, request.httpMethod ?? "GET", request.httpBody)
        let fields = request.allHTTPHeaderFields ?? [:]
        headers =
            fields.isEmpty
            ? HeaderFields()
            : HeaderFields(fields.sorted { $0.key < $1.key }.map { HeaderFields.Field(name: $0.key, value: $0.value) })
        foundation = request
    }

    /// Foundation's form of the request. Fields with the same name are joined into one field.
    public var urlRequest: URLRequest {
        if let foundation { return foundation }
        var request = URLRequest(url: url, method: method)
        headers.write(to: &request)
        if body != nil { request.httpBody = body }
        return request
    }

    private static func normalized(_ method: String) -> String {
        guard method.utf8.contains(where: { $0 >= UInt8(ascii: "a") }) else { return method }
        let capitals = method.uppercased()
        return ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"].contains(capitals) ? capitals : method
    }
}

extension HeaderFields {
    fileprivate func write(to request: inout URLRequest) {
        for field in combined { request.setValue(field.value, forHTTPHeaderField: field.name) }
    }
}

extension HTTPRequest: Hashable {
    public static func == (first: HTTPRequest, second: HTTPRequest) -> Bool {
        first.method == second.method && first.url == second.url && first.headers == second.headers
            && first.body == second.body
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
    }
}

extension HTTPRequest: CustomStringConvertible {
    /// Method and URL without secrets, for a log.
    public var description: String { "\(method) \(Redaction.url(url.absoluteString))" }
}

// MARK: - Properties of Foundation's form

extension HTTPRequest {
    /// The cache policy. Default: Foundation's default.
    package var cachePolicy: URLRequest.CachePolicy { foundation?.cachePolicy ?? .useProtocolCachePolicy }
    /// Whether cookies of the jar are sent and stored. Default true.
    package var handlesCookies: Bool { foundation?.httpShouldHandleCookies ?? true }
    /// The idle time limit in seconds. Default 60, as in Foundation.
    package var timeoutInterval: TimeInterval { foundation?.timeoutInterval ?? 60 }
    /// The body, if it is a stream.
    package var bodyStream: InputStream? { foundation?.httpBodyStream }

    /// Changes properties that only Foundation's form has.
    package mutating func changeFoundation(_ change: (inout URLRequest) -> Void) {
        var request = urlRequest
        change(&request)
        foundation = request
    }
}

extension URLRequest {
    /// Makes a request with a method. GET, the default, is not set: setting it takes longer than making the request.
    package init(url: URL, method: String) {
        self.init(url: url)
        if method != "GET" { httpMethod = method }
    }
}
