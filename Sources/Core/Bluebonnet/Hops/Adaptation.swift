// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The work of request adapters and of the authenticator on the request of one transfer. It runs code of the program,
/// so never on the network thread. A value that is passed between threads.
struct Adaptation: Sendable {
    let base: HopRequest
    /// The body, if it comes from a stream or a file and therefore cannot be replaced; nil for other bodies.
    let fixedBody: OutgoingBody?
    let options: ResolvedOptions
    /// Empty after the adapters have run.
    let adapters: [any RequestAdapter]
    /// Nil if no credential is to be applied.
    let credential: CurrentCredential?
    let authenticator: SharedAuthenticator?

    /// The adapted request, if no code of the program has to run for it; nil otherwise.
    var quickResult: HopRequest? {
        guard adapters.isEmpty else { return nil }
        guard let credential else { return base }
        guard !base.hasOwnCredential, let field = credential.field() else { return nil }
        var (adapted, headers) = (base, base.headers)
        headers[field.name] = field.value
        adapted.credential = HopRequest.Credential(headers: headers, generation: credential.generation)
        return adapted
    }

    /// Runs the adapters and the authenticator.
    ///
    /// - Throws: the error with which the operation fails.
    func run() async throws(NetworkingError) -> HopRequest {
        var adapted = base
        if !adapters.isEmpty { try await adapt(&adapted) }
        if let credential, let authenticator, let origin = Origin(adapted.url), authenticator.covers(origin),
            !adapted.hasOwnCredential
        {
            try Self.apply(credential, to: &adapted)
        }
        return adapted
    }

    private func adapt(_ adapted: inout HopRequest) async throws(NetworkingError) {
        let given = adapted.urlRequest
        var request = given
        do {
            for adapter in adapters {
                let inMemory = request.httpBody.map { $0.isEmpty ? .none : OutgoingBody.Source.data($0) }
                try await adapter.adapt(&request, body: fixedBody ?? OutgoingBody(inMemory ?? .none))
            }
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(.invalidRequest, "a request adapter failed: \(error)", underlying: error)
        }
        // On Linux, Foundation's `==` for requests ignores header fields.
        guard
            request.allHTTPHeaderFields != given.allHTTPHeaderFields || request.url != given.url
                || request.httpMethod != given.httpMethod || request.httpBody != given.httpBody
                || request.httpBodyStream != nil
        else { return }
        adapted.isAdapted = true
        try applyBody(of: request, to: &adapted)
        try applyAddress(of: request, to: &adapted)
        try adapted.applyHeaders(of: request)
    }

    private func applyBody(of request: URLRequest, to adapted: inout HopRequest) throws(NetworkingError) {
        guard request.httpBodyStream == nil, request.httpBody == nil || fixedBody == nil else {
            throw NetworkingError(
                .invalidRequest,
                "a request adapter can set only an in-memory body, and cannot replace a stream or file")
        }
        guard fixedBody == nil, request.httpBody != adapted.body else { return }
        adapted.hasBody = request.httpBody?.isEmpty == false
        adapted.body = adapted.hasBody ? request.httpBody : nil
    }

    /// Checks the method and URL as for a request from the program.
    private func applyAddress(of request: URLRequest, to adapted: inout HopRequest) throws(NetworkingError) {
        let method = request.httpMethod ?? "GET"
        try PreparedRequest.check(method, hasBody: adapted.hasBody)
        adapted.method = method
        guard request.url != adapted.url else { return }
        guard let given = request.url else {
            throw NetworkingError(.badURL, "a request adapter returned a request without a URL")
        }
        try RequestCheck.check(given)
        let url = options.keepsDotSegments ? given : DotSegments.removed(from: given) ?? given
        _ = try PreparedRequest.checkedOrigin(of: url, for: options)
        adapted.url = url
    }

    private static func apply(
        _ credential: CurrentCredential, to adapted: inout HopRequest
    ) throws(NetworkingError) {
        let given = adapted.urlRequest
        var request = given
        credential.apply(&request)
        guard request.url == given.url, request.httpMethod == given.httpMethod, request.httpBody == given.httpBody,
            request.httpBodyStream == nil
        else {
            throw NetworkingError(.invalidRequest, "an authenticator can change only the header fields of a request")
        }
        var hop = adapted
        do throws(NetworkingError) {
            try check(credential, request, given)
            try hop.applyHeaders(of: request)
        } catch {
            let shown = "\(hop.method) \(Redaction.url(hop.url.absoluteString))"
            throw NetworkingError(.invalidRequest, "the credential of \(shown) cannot be sent: \(error.message)")
        }
        adapted.credential = HopRequest.Credential(headers: hop.headers, generation: credential.generation)
    }

    /// Refuses a credential that has set no field. Foundation silently drops a field whose value contains a line break
    /// or a NUL, for example a token that was read with the end of its line.
    private static func check(
        _ credential: CurrentCredential, _ request: URLRequest, _ given: URLRequest
    ) throws(NetworkingError) {
        if let token = credential.value as? BearerToken {
            return try RequestCheck.field(name: "Authorization", value: token.accessToken)
        }
        guard let url = given.url, request.allHTTPHeaderFields == given.allHTTPHeaderFields else { return }
        // The request may already have had the same fields.
        var bare = URLRequest(url: url)
        bare.httpMethod = given.httpMethod
        credential.apply(&bare)
        guard bare.allHTTPHeaderFields ?? [:] == [:] else { return }
        throw NetworkingError(
            .invalidRequest, "the authenticator set no header field, or one with a line break, which Foundation drops")
    }
}

extension HopRequest {
    /// The request in Foundation's form, for the program.
    var urlRequest: URLRequest { request.urlRequest }

    /// Applies the fields of a request that the program made from a proposed hop: changed fields replace the fields of
    /// this hop, and removed fields are removed.
    ///
    /// - Parameter proposed: the proposed hop; nil means this hop.
    mutating func applyHeaders(
        of request: URLRequest, changedFrom proposed: HopRequest? = nil
    ) throws(NetworkingError) {
        let proposed = (proposed ?? self).headers
        let given = request.allHTTPHeaderFields ?? [:]
        let length = hasBody ? nil : Int64(0)
        let fields = given.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        for field in try RequestCheck.fields(fields, bodyByteCount: length).sent
        where proposed[field.name] != field.value {
            headers[field.name] = field.value
        }
        headers.removeAll { field in !given.keys.contains { field.hasName($0) } }
    }
}
