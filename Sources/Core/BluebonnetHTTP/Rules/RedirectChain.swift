// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The rules for redirect targets, which `RedirectChain` applies.
package struct RedirectPolicy: Sendable {
    /// The maximum number of redirects to follow; 0 delivers the redirect response itself.
    package var limit = 20
    /// Whether a redirect may lead from https to http.
    package var allowsInsecureTarget = false
    /// Whether dot segments in the target are kept.
    package var keepsDotSegments = false

    package init(limit: Int = 20, allowsInsecureTarget: Bool = false, keepsDotSegments: Bool = false) {
        self.limit = limit
        self.allowsInsecureTarget = allowsInsecureTarget
        self.keepsDotSegments = keepsDotSegments
    }

    /// The decision about a response.
    package enum Decision: Sendable {
        /// Send this request instead. Call `follow(_:)` when the request is sent.
        case follow(HopRequest)
        /// Deliver the response, which is the final response.
        case deliver
        case fail(NetworkingError)
    }
}

/// Decides, response by response, where one operation's redirects lead (RFC 9110, 15.4). It sends nothing.
///
/// Each hop is made from the previous hop. Fields that were dropped on the way to another origin therefore do not
/// return, not even at the first origin.
package struct RedirectChain: Sendable {
    private let policy: RedirectPolicy
    private var current: HopRequest
    private var visited: Set<String>
    /// Whether the next redirect may lead back to the current request.
    private var mayReturn = false
    /// The number of redirects followed so far.
    package private(set) var hopCount = 0

    package init(_ request: HopRequest, policy: RedirectPolicy = RedirectPolicy()) {
        self.policy = policy
        current = request
        visited = []
    }

    /// Records the request that was sent, which may differ from the proposed request.
    package mutating func follow(_ request: HopRequest) {
        hopCount += 1
        if !mayReturn { visited.insert(Self.key(current)) }
        mayReturn = false
        current = request
    }

    /// Records that the current request is sent in another form, which later redirects start from.
    package mutating func change(to request: HopRequest) {
        (current.url, current.method) = (request.url, request.method)
        if !request.hasBody { (current.hasBody, current.body) = (false, nil) }
    }

    /// Permits redirects to earlier requests again, because the current response changes what requests contain (it sets
    /// a cookie).
    package mutating func forgetVisits() {
        visited = []
        mayReturn = true
    }

    /// Returns the decision about a response to the current request.
    ///
    /// - Parameter locations: the values of all its `Location` fields.
    package func decision(status: Int, locations: [String]) -> RedirectPolicy.Decision {
        guard policy.limit > 0, isRedirect(status, locations: locations) else { return .deliver }
        do {
            return .follow(try request(after: status, to: try target(locations)))
        } catch {
            return .fail(error)
        }
    }

    /// Returns whether a status leads to another URL. 300 only suggests a target, so it is followed only for the safe
    /// methods GET and HEAD.
    private func isRedirect(_ status: Int, locations: [String]) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        case 300: !locations.isEmpty && ["GET", "HEAD"].contains(current.method.uppercased())
        default: false
        }
    }

    private func request(after status: Int, to url: URL) throws(NetworkingError) -> HopRequest {
        var next = current
        next.url = url
        next.change(by: status)
        if Origin(url) != Origin(current.url) { next.leaveOrigin() }
        guard hopCount < policy.limit else {
            let fault = "more than \(policy.limit) redirects, the last one to \(Self.shown(url))"
            throw NetworkingError(.tooManyRedirects, fault)
        }
        guard mayReturn || !visited.contains(Self.key(next)) && Self.key(next) != Self.key(current) else {
            throw NetworkingError(.tooManyRedirects, "the redirects form a loop, back to \(Self.shown(url))")
        }
        return next
    }

    /// Returns the key of a request. Requests with the same key are the same for a server that answers with a redirect.
    private static func key(_ request: HopRequest) -> String {
        request.method + " " + request.url.absoluteString.prefix { $0 != "#" }
    }
}

// MARK: - The target

extension RedirectChain {
    private func target(_ locations: [String]) throws(NetworkingError) -> URL {
        guard let location = locations.first else {
            throw NetworkingError(.badServerResponse, "a redirect of \(Self.shown(current.url)) has no Location")
        }
        guard Set(locations).count == 1 else {
            throw NetworkingError(.badServerResponse, "a redirect of \(Self.shown(current.url)) has several Locations")
        }
        guard !location.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }),
            !location.isEmpty, let url = URLText.url(location, relativeTo: current.url)
        else { throw Self.unusable(location) }
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw NetworkingError(.redirectRefused, "a redirect leads to \(Self.shown(url)), not to http or https")
        }
        guard scheme == "https" || current.url.scheme?.lowercased() == "http" || policy.allowsInsecureTarget else {
            throw NetworkingError(.redirectRefused, "a redirect leads from https to \(Self.shown(url))")
        }
        let shorter = policy.keepsDotSegments ? nil : DotSegments.removed(from: url)
        return try completed(shorter ?? url, location)
    }

    /// Returns the target with the fragment of the previous URL, unless the target has its own fragment, and with user
    /// information only from the caller.
    private func completed(_ url: URL, _ location: String) throws(NetworkingError) -> URL {
        let parts = URLText(url.absoluteString)
        guard parts.authority != nil else { throw Self.unusable(location) }
        let previous = URLText(current.url.absoluteString)
        let isSameOrigin = Origin(url) == Origin(current.url)
        let userInfo = isSameOrigin ? previous.userInfo.map { $0 + "@" } ?? "" : ""
        let fragment = parts.remainder.contains("#") ? "" : String(previous.remainder.drop { $0 != "#" })
        let host = String(parts.host) + (parts.port.map { ":" + $0 } ?? "")
        let text = "\(parts.scheme ?? "")://\(userInfo)\(host)\(parts.remainder)\(fragment)"
        do {
            return try RequestCheck.url(text)
        } catch {
            throw Self.unusable(location)
        }
    }

    private static func unusable(_ location: String) -> NetworkingError {
        let shown = URLText.escape(Redaction.url(URLText.withoutUserInfo(location))).prefix(200)
        return NetworkingError(.badServerResponse, "a redirect's Location cannot be used: \(shown)")
    }

    private static func shown(_ url: URL) -> Substring {
        Redaction.url(URLText.withoutUserInfo(url.absoluteString)).prefix(200)
    }
}
