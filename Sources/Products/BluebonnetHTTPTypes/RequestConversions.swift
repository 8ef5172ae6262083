// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation
public import HTTPTypes

extension RequestOperationManager {
    /// Begins a call with the method, the URL and the header fields of a request of swift-http-types.
    ///
    /// ```swift
    /// let user = try await manager.call(request, body: .json(["name": "Ada"])).value(as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - request: a request for a server. Without a scheme and an authority, its path is resolved against `baseURL`.
    ///   - body: default nil: no body.
    /// - Throws: as `HTTPRequest.init(_:body:relativeTo:)` of Bluebonnet.
    public func call(
        _ request: HTTPTypes.HTTPRequest, body: RequestBody? = nil
    ) throws(NetworkingError) -> Call {
        let request = try Bluebonnet.HTTPRequest(request, relativeTo: baseURL)
        let call = call(request.method, request.url).headers(request.headers)
        return body.map { call.body($0) } ?? call
    }
}

extension Bluebonnet.HTTPRequest {
    /// Makes a request from a request of swift-http-types. Several `Cookie` fields, which HTTP/2 permits, become one.
    ///
    /// - Parameters:
    ///   - request: a request for a server.
    ///   - body: default nil: no body.
    ///   - base: the URL against which a path is resolved if the request has neither scheme nor authority. Default nil:
    ///     the request needs both.
    /// - Throws: `invalidRequest` for CONNECT, for the target `*`, and for a request without path; `badURL` if scheme,
    ///   authority and path are no URL, or are missing without a base.
    public init(
        _ request: HTTPTypes.HTTPRequest, body: Data? = nil, relativeTo base: URL? = nil
    ) throws(NetworkingError) {
        self.init(
            request.method.rawValue, url: try request.url(relativeTo: base),
            headers: HeaderFields(request.headerFields).withOneCookieField, body: body)
    }
}

extension HTTPTypes.HTTPRequest {
    /// Makes a request of swift-http-types: the method, the URL and the header fields. The body stays apart.
    ///
    /// - Throws: `invalidRequest` for a method that is no token, for fields that `HTTPFields.init(_:)` refuses, and for
    ///   user information in the URL, which has no place in an authority (RFC 9110, 4.2.4); `badURL` for a URL without
    ///   a scheme or a host.
    public init(_ request: Bluebonnet.HTTPRequest) throws(NetworkingError) {
        guard let method = Method(request.method) else {
            throw NetworkingError(.invalidRequest, "the method is not a valid token")
        }
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        guard let parts, let scheme = parts.scheme, let host = parts.percentEncodedHost, !host.isEmpty else {
            throw NetworkingError(.badURL, "the request has no absolute URL")
        }
        guard parts.user == nil, parts.password == nil else {
            throw NetworkingError(.invalidRequest, "the URL has user information, which an HTTPRequest cannot have")
        }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        self.init(
            method: method, scheme: scheme, authority: host + (parts.port.map { ":\($0)" } ?? ""),
            path: path + (parts.percentEncodedQuery.map { "?\($0)" } ?? ""),
            headerFields: try HTTPFields(request.headers))
    }

    /// Returns the URL of the target.
    fileprivate func url(relativeTo base: URL?) throws(NetworkingError) -> URL {
        guard method != .connect, extendedConnectProtocol == nil else {
            throw NetworkingError(.invalidRequest, "CONNECT opens a tunnel or a WebSocket, which is not supported")
        }
        guard let path, path.hasPrefix("/") else {
            throw NetworkingError(.invalidRequest, "the path of the request does not begin with a slash")
        }
        let root: String
        if scheme == nil, authority == nil, let base = base?.root {
            root = base
        } else if let scheme, let authority, !authority.isEmpty {
            guard !authority.contains(where: "@/?#\\".contains) else {
                throw NetworkingError(.badURL, "the authority of the request is not a host with an optional port")
            }
            root = "\(scheme)://\(authority)"
        } else {
            throw NetworkingError(.badURL, "the request has no scheme or no authority")
        }
        guard let url = URL(strictly: root + path) else {
            throw NetworkingError(.badURL, "scheme, authority and path of the request are not a URL")
        }
        return url
    }
}

extension URL {
    /// Makes a URL from text that needs no further escapes and has no fragment.
    fileprivate init?(strictly text: String) {
        guard !text.contains("#"), let url = URLComponents(string: text, encodingInvalidCharacters: false)?.url else {
            return nil
        }
        self = url
    }

    /// The text before the path; nil for a URL without a host.
    fileprivate var root: String? {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true), parts.host?.isEmpty == false else {
            return nil
        }
        (parts.percentEncodedPath, parts.query, parts.fragment) = ("", nil, nil)
        return parts.string
    }
}

extension HeaderFields {
    /// The fields with one `Cookie` field, in the place of the first (RFC 9113, 8.2.3).
    fileprivate var withOneCookieField: HeaderFields {
        let cookies = values(for: "Cookie")
        guard cookies.count > 1 else { return self }
        var fields = self
        fields["Cookie"] = cookies.joined(separator: "; ")
        return fields
    }
}
