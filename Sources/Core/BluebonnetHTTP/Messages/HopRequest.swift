// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The request of one hop: the first request, or a request that redirects, request adapters or an authenticator made
/// from it.
package struct HopRequest: Sendable, Hashable {
    /// Method, URL, header fields and, if the body is in memory, the body.
    package var request: HTTPRequest
    /// Whether a body is sent: the body of `request`, otherwise the file or stream of the operation. True if `request`
    /// has a body.
    package var hasBody: Bool
    /// Whether the caller's credentials, cookies and client certificate may be used. False from the first hop to
    /// another origin on, permanently.
    package var carriesCredentials = true
    /// Whether a request adapter has changed the request.
    package var isAdapted = false
    /// The header fields with the authenticator's credential, and the credential's generation; nil without a
    /// credential.
    package var credential: Credential?

    /// An applied credential of the authenticator.
    package struct Credential: Sendable, Hashable {
        package var headers: HeaderFields
        package var generation: Int

        package init(headers: HeaderFields, generation: Int) {
            (self.headers, self.generation) = (headers, generation)
        }
    }

    package init(_ request: HTTPRequest, hasBody: Bool) { (self.request, self.hasBody) = (request, hasBody) }

    package var method: String {
        get { request.method }
        _modify { yield &request.method }
    }
    package var url: URL {
        get { request.url }
        _modify { yield &request.url }
    }
    package var headers: HeaderFields {
        get { request.headers }
        _modify { yield &request.headers }
    }
    package var body: Data? {
        get { request.body }
        _modify { yield &request.body }
    }

    /// The header fields that are sent.
    package var sentHeaders: HeaderFields { credential?.headers ?? headers }

    /// Whether the rest of an interrupted body may be requested: only GET has ranges (RFC 9110, 14.2), and the library
    /// does not change the caller's own range.
    package var supportsRangeResume: Bool { method == "GET" && headers["Range"] == nil }

    /// Whether the request itself names a user, in its `Authorization` field or in its URL.
    package var hasOwnCredential: Bool {
        headers["Authorization"] != nil || URLText(url.absoluteString).userInfo != nil
    }
}

// MARK: - The next request

extension HopRequest {
    /// Changes method and body for the next request after a redirect (RFC 9110, 15.4, and as browsers do).
    mutating func change(by status: Int) {
        let verb = method.uppercased()
        let becomesGet = status == 303 ? verb != "HEAD" : (status == 301 || status == 302) && verb == "POST"
        guard becomesGet, verb != "GET" || hasBody else { return }
        method = "GET"
        body = nil
        hasBody = false
        headers.removeAll { Self.describesBody($0.name.lowercased()) }
    }

    /// Removes everything that belongs to the origin that the chain leaves.
    package mutating func leaveOrigin() {
        carriesCredentials = false
        headers.removeAll { !Self.isAllowedAcrossOrigins($0.name) }
    }

    private static func describesBody(_ name: String) -> Bool {
        name.hasPrefix("content-") || name == "transfer-encoding" || name == "expect"
    }

    /// Returns whether a field of this name may be sent to an origin other than the caller's, because it reveals
    /// nothing about the caller.
    package static func isAllowedAcrossOrigins(_ fieldName: String) -> Bool {
        FieldSyntax.begins(fieldName, with: "accept") || FieldSyntax.begins(fieldName, with: "content-")
            || FieldSyntax.begins(fieldName, with: "if-") || FieldSyntax.isSameName(fieldName, "user-agent")
            || FieldSyntax.isSameName(fieldName, "range")
    }
}
