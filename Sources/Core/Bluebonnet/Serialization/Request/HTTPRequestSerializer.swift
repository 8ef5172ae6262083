// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Encodes parameters into the URL or into a form body, and adds the default headers.
///
/// Parameters become the query for a method in `methodsEncodingParametersInURL`, and an
/// `application/x-www-form-urlencoded` body for any other method. `QueryEncoder` defines the syntax of both.
///
/// ```swift
/// var serializer = HTTPRequestSerializer()
/// serializer.setAuthorization(user: "ada", password: "secret")
/// let request = try serializer.request(method: "GET", url: url, parameters: ["page": 2])
/// ```
public struct HTTPRequestSerializer: RequestSerializer {
    /// Header fields that are added to every request without a field of the same name. Default: `User-Agent`, with the
    /// names and versions of program and library, and `Accept-Language` if the environment (`LANGUAGE`, `LC_ALL`,
    /// `LC_MESSAGES`, `LANG`) sets a language other than `C`.
    public var headers = DefaultHeaders.ofThisProcess {
        didSet { refusal = Self.refusal(of: headers) }
    }
    /// The error of a header field that cannot be sent; otherwise nil. Stored, so that the fields are checked once for
    /// all requests.
    private var refusal: NetworkingError?
    /// The methods whose parameters are encoded in the URL, compared without regard to case. Default GET, HEAD and
    /// DELETE.
    public var methodsEncodingParametersInURL: Set<String> = ["GET", "HEAD", "DELETE"]
    /// Encodes parameters as the text of a query or a form. Default `.standard`.
    public var querySerialization = QuerySerialization.standard
    /// The encoding of the text of a URL-encoded form, and of the values of a multipart form's parameters. Text that
    /// the encoding cannot express is an error. Percent-escapes are always UTF-8, as in AFNetworking: with the standard
    /// query serialization, a form is always ASCII. Default UTF-8.
    public var stringEncoding = String.Encoding.utf8
    /// Cache policy, cookies and other properties of the requests that are made from a method and a URL. Properties
    /// that are nil have no effect.
    public var properties = RequestProperties()

    /// Makes a serializer with the default headers.
    public init() {}

    /// Sets `Authorization` to HTTP Basic. The user name must not contain a colon, because the server splits at the
    /// first colon.
    public mutating func setAuthorization(user: String, password: String) {
        headers["Authorization"] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Sets `Authorization` to AFNetworking's token format, `Token token="…"`. Most servers today expect
    /// ``bearerToken``.
    public mutating func setAuthorization(token: String) {
        headers["Authorization"] = "Token token=\"\(token)\""
    }

    /// The token of `Authorization: Bearer …` (RFC 6750). Nil if `Authorization` has another form or is not set.
    /// Setting nil removes `Authorization` in any form.
    public var bearerToken: String? {
        get {
            guard let value = headers["Authorization"], value.lowercased().hasPrefix("bearer ") else { return nil }
            return String(value.dropFirst("Bearer ".count))
        }
        set { headers["Authorization"] = newValue.map { "Bearer " + $0 } }
    }

    /// Removes `Authorization`.
    public mutating func clearAuthorization() {
        headers["Authorization"] = nil
    }

    /// Returns the request with default headers, and with the parameters in its URL or its body.
    ///
    /// Without parameters, a method with a body gets an empty form, unless the request already has a body.
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the parameter that cannot be encoded; with `badURL` if
    ///   the request has no URL.
    public func request(
        _ request: URLRequest, with parameters: Parameters?
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try complete(&request, with: parameters)
        return request
    }

    /// Applies `request(_:with:)` in place.
    package func complete(_ request: inout URLRequest, with parameters: Parameters?) throws(NetworkingError) {
        try addHeaders(to: &request)
        if encodesParametersInURL(request) {
            if let parameters { try addQuery(parameters, to: &request) }
        } else if parameters != nil || !request.hasBody {
            let form = if let parameters { try querySerialization.text(for: parameters, of: request) } else { "" }
            request.setBody(try encoded(form), contentType: "application/x-www-form-urlencoded")
        }
    }

    private func encoded(_ form: String) throws(NetworkingError) -> Data {
        if stringEncoding == .utf8 { return Data(form.utf8) }
        guard let data = form.data(using: stringEncoding) else {
            throw NetworkingError(.invalidRequest, "the form cannot be encoded in \(stringEncoding)")
        }
        return data
    }

    /// Adds every default header that the request lacks.
    package func addHeaders(to request: inout URLRequest) throws(NetworkingError) {
        // Foundation on Linux crashes when a request without URL is changed.
        guard request.url != nil else { throw NetworkingError(.badURL, "the request has no URL") }
        if request.allHTTPHeaderFields?.isEmpty != false {
            if let refusal { throw refusal }
            request.allHTTPHeaderFields = headers.dictionary
            return
        }
        for field in headers.combined where request.value(forHTTPHeaderField: field.name) == nil {
            try check(field)
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
    }

    /// Adds every default header that the fields lack.
    package func addHeaders(to fields: inout HeaderFields) throws(NetworkingError) {
        let given = fields
        for field in headers.fields where !given.contains(name: field.name) {
            try check(field)
            fields.add(field)
        }
    }

    /// Throws if the field cannot be sent.
    private func check(_ field: HeaderFields.Field) throws(NetworkingError) {
        if refusal != nil { try RequestCheck.field(name: field.name, value: field.value) }
    }

    private static func refusal(of headers: HeaderFields) -> NetworkingError? {
        do throws(NetworkingError) {
            for field in headers { try RequestCheck.field(name: field.name, value: field.value) }
            return nil
        } catch {
            return error
        }
    }

    /// Whether this request's parameters are encoded in its URL.
    func encodesParametersInURL(_ request: URLRequest) -> Bool { encodesParametersInURL(request.httpMethod ?? "GET") }

    /// Whether the parameters of a method are encoded in the URL.
    func encodesParametersInURL(_ method: String) -> Bool {
        if methodsEncodingParametersInURL.contains(method) { return true }
        let name = method.uppercased()
        return methodsEncodingParametersInURL.contains { $0.uppercased() == name }
    }

    /// Adds parameters to the query of a request that has a URL.
    func addQuery(_ parameters: Parameters, to request: inout URLRequest) throws(NetworkingError) {
        guard request.url != nil else { throw NetworkingError(.badURL, "the request has no URL") }
        var query = try querySerialization.text(for: parameters, of: request)
        if case .custom = querySerialization {
            query = URLText.escape(query.replacingOccurrences(of: "#", with: "%23", options: .literal))
        }
        try addQuery(text: query, to: &request)
    }

    /// Adds the text of a query, already escaped, to a request that has a URL.
    package func addQuery(text query: String, to request: inout URLRequest) throws(NetworkingError) {
        guard let url = request.url else { throw NetworkingError(.badURL, "the request has no URL") }
        if query.isEmpty { return }
        guard let result = URL(string: Self.text(url.absoluteString, adding: query)) else {
            throw NetworkingError(.badURL, "\(Redaction.url(url.absoluteString)) cannot have a query")
        }
        request.url = result
    }

    /// Inserts the query before the fragment. A URL that already has a query, even an empty query, gets "&".
    private static func text(_ url: String, adding query: String) -> String {
        let address = url.prefix { $0 != "#" }
        return address + (address.contains("?") ? "&" : "?") + query + url[address.endIndex...]
    }
}

extension URLRequest {
    /// Whether the request has a body stream or a body that is not empty.
    var hasBody: Bool { httpBodyStream != nil || !(httpBody ?? Data()).isEmpty }

    /// Sets the body, and the content type unless the request already has one.
    package mutating func setBody(_ body: Data, contentType: String) {
        httpBody = body
        if value(forHTTPHeaderField: "Content-Type") == nil {
            setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
    }
}
