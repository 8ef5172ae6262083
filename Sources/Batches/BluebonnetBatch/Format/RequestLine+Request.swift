// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import CLinux
internal import Foundation
internal import FoundationNetworking

extension RequestLine {
    /// Completes the plan of this line's operation. The line's references must be resolved.
    ///
    /// Options that the line does not set keep the batch's values, which all operations share: trust settings built
    /// for each line would have to be compared for each connection.
    ///
    /// - Parameters:
    ///   - options: the batch's options. The line's options override them.
    /// - Throws: the error with which the operation fails before a connection is opened.
    ///   - check: checks the response.
    func complete(
        _ plan: inout RequestPlan, baseURL: URL?, options: TransferOptions, check: ResponseCheck? = nil
    ) throws {
        guard unique == nil else {
            throw NetworkingError(.invalidRequest, "the line has \"unique\", which only a fleet runs")
        }
        try RequestCheck.method(method)
        try setRequest(of: &plan, baseURL: baseURL)
        if hasOptions(over: options) { plan.options = ResolvedOptions(try transferOptions(over: options)) }
        if case .file(let path)? = body { plan.uploadFile = try Self.file(path, in: "file") }
        if let output { plan.outputFile = try Self.file(output, in: "output", mayBeFolder: true) }
        if check != nil || expect?.status != nil || expect?.type != nil {
            plan.setSerializer(HTTPResponseSerializer(validation: validation), check: check)
        }
        if let digest = expect?.sha256 { plan.expectedDigest = digest }
        switch idempotencyKey {
        case .automatic?: plan.idempotencyKey = .automatic
        case .value(let text)?: plan.idempotencyKey = IdempotencyKey(text)
        case nil: break
        }
    }

    private var validation: ResponseValidation {
        var validation = ResponseValidation()
        if let status = expect?.status { validation.acceptableStatusCodes = IndexSet(status) }
        if let type = expect?.type {
            validation = ResponseValidation(
                acceptableStatusCodes: validation.acceptableStatusCodes, acceptableContentTypes: Set(type))
        }
        return validation
    }

    private static func file(
        _ path: String, in field: String, mayBeFolder: Bool = false
    ) throws(NetworkingError) -> URL {
        guard !path.isEmpty, !path.hasByte(0) else {
            throw NetworkingError(.cannotOpenFile, "the path in \"\(field)\" is empty or contains a NUL byte")
        }
        return FilePath.url(path, isDirectory: mayBeFolder && FilePath.namesFolder(path))
    }
}

// MARK: - The request

extension RequestLine {
    /// Whether making the request reads files: certificates, keys, or the files of a multipart form.
    var readsFiles: Bool {
        if security != nil { return true }
        guard case .multipart(let parts)? = body else { return false }
        return parts.contains { if case .file = $0.content { true } else { false } }
    }

    /// The header fields of a plain GET request, as given and as sent. They are made once, because making them takes
    /// longer than all other work before such a request is sent.
    private static let plain = Result {
        var request = HTTPRequest(url: URL(fileURLWithPath: "/"))
        try HTTPRequestSerializer().addHeaders(to: &request.headers)
        return (given: request.headers, sent: request.uncheckedSentHeaders)
    }

    private func setRequest(of plan: inout RequestPlan, baseURL: URL?) throws {
        guard method == "GET", headers.isEmpty, query == nil, body == nil else {
            return try plan.setRequest(request(baseURL: baseURL))
        }
        let plain = try Self.plain.get()
        let request = HTTPRequest(url: try Self.url(url, relativeTo: baseURL), headers: plain.given)
        plan.setRequest(request, .sent(plain.sent))
    }

    private static func url(_ text: String, relativeTo base: URL?) throws(NetworkingError) -> URL {
        // An empty text is an error. Resolved as a relative reference, it would lead to the base URL.
        guard !text.isEmpty else { throw NetworkingError(.badURL, "the URL is empty") }
        do throws(NetworkingError) {
            return try RequestCheck.url(text, relativeTo: base)
        } catch {
            guard base == nil, error.code == .badURL, URLText(text).scheme == nil else { throw error }
            let shown = RequestCheck.shown(Redaction.url(text))
            throw NetworkingError(.badURL, "the URL \(shown) is relative, and there is no base URL (--base-url)")
        }
    }

    private func request(baseURL: URL?) throws -> URLRequest {
        var request = URLRequest(url: try Self.url(url, relativeTo: baseURL), method: method)
        for field in headers.combined {
            try RequestCheck.field(name: field.name, value: field.value)
            if field.hasName(HeaderFields.idempotencyKeyName) { try RequestCheck.idempotencyKey(field.value) }
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        let serializer = HTTPRequestSerializer()
        try serializer.addHeaders(to: &request)
        if let query { try serializer.addQuery(text: try QueryEncoder().encode(query), to: &request) }
        try setBody(of: &request)
        return request
    }

    private func setBody(of request: inout URLRequest) throws {
        switch body {
        case .json(let value)?:
            request.setBody(Data(JSONText.text(of: value).utf8), contentType: "application/json")
        case .form(let members)?:
            let form = try QueryEncoder().encode(members)
            request.setBody(Data(form.utf8), contentType: "application/x-www-form-urlencoded")
        case .text(let text)?:
            request.setBody(Data(text.utf8), contentType: "text/plain; charset=utf-8")
        case .plist(let value)?: request = try PropertyListRequestSerializer().request(request, withValue: value)
        case .multipart(let parts)?: try request.setBody(try Self.form(parts))
        case .file?, nil: return
        }
    }

    private static func form(_ parts: [Part]) throws -> MultipartFormData {
        var form = MultipartFormData()
        for part in parts {
            switch part.content {
            case .value(let text): try form.append(text, name: part.name)
            case .file(let path, let fileName, let contentType):
                try form.append(
                    fileAt: try file(path, in: "multipart"), name: part.name, fileName: fileName,
                    contentType: contentType)
            }
        }
        return form
    }
}

// MARK: - Options

extension RequestLine {
    /// Whether the line sets an option that the batch's options do not have.
    private func hasOptions(over batch: TransferOptions) -> Bool {
        let hasLimits = timeout != nil || connectTimeout != nil || idleTimeout != nil || maxBody != nil
        if retry != nil || decode != nil || cachePolicy(over: batch) != batch.cachePolicy { return true }
        let hasPeers = credential != nil || security != nil || proxy != nil || unixSocket != nil || !resolve.isEmpty
        return hasLimits || hasPeers || redirects != batch.maximumRedirectCount || httpVersion != batch.httpVersion
    }

    /// Returns how the line uses the cache. A batch that sends nothing does so for all lines. A line that polls asks
    /// the server for its state now, and stored responses must not answer it.
    private func cachePolicy(over batch: TransferOptions) -> CachePolicy {
        if batch.cachePolicy == .onlyIfCached { return .onlyIfCached }
        if boxedPipeline?.value.until != nil, batch.responseCache != nil { return .reload }
        return cache ?? batch.cachePolicy
    }

    private func transferOptions(over batch: TransferOptions) throws(NetworkingError) -> TransferOptions {
        var options = batch
        if let timeout { options.timeouts.total = timeout < 1e9 ? .seconds(timeout) : nil }
        if let connectTimeout { options.timeouts.connect = Duration(clampingSeconds: connectTimeout) }
        if let idleTimeout { options.timeouts.idle = Duration(clampingSeconds: idleTimeout) }
        if let maxBody { options.maximumBodyByteCount = maxBody }
        if let retry { options.retryPolicy = retry.policy(over: batch.retryPolicy) }
        options.maximumRedirectCount = redirects
        options.httpVersion = httpVersion
        if let decode { options.decodesContent = decode }
        options.cachePolicy = cachePolicy(over: batch)
        if let credential {
            options.credential = URLCredential(
                user: credential.user, password: credential.password, persistence: .none)
        }
        if let security { try security.apply(to: &options) }
        if let proxy {
            // Empty: no proxy, regardless of the environment variables.
            options.proxy = proxy.isEmpty ? nil : try Proxy(proxy)
            if proxy.isEmpty { options.proxyConfiguration = nil }
        }
        if let unixSocket { options.unixSocketPath = try Self.socketPath(unixSocket) }
        for (host, address) in resolve { try Self.check(host: host, address: address) }
        if !resolve.isEmpty { options.addressOverrides = HostName.merging(resolve, over: options.addressOverrides) }
        return options
    }

    /// Returns the path of a socket, which must fit the kernel's address structure (unix(7)).
    private static func socketPath(_ path: String) throws(NetworkingError) -> String {
        guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else {
            throw NetworkingError(
                .invalidRequest, "the path in \"unixSocket\" is empty, over 107 bytes, or contains a NUL byte")
        }
        return path
    }

    private static func check(host: String, address: String) throws(NetworkingError) {
        let isName = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !":,*+[]".utf8.contains($0) }
        guard isName else { throw NetworkingError(.invalidRequest, "\"resolve\" has a host that is not a host name") }
        let bare = address.hasPrefix("[") && address.hasSuffix("]") ? String(address.dropFirst().dropLast()) : address
        guard bluebonnet_is_address(bare) else {
            throw NetworkingError(.invalidRequest, "\"resolve\" maps \(host) to a value that is not an IP address")
        }
    }
}
