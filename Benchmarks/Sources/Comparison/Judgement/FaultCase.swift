// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A case: servers, requests, and the expected outcomes.
package struct FaultCase: Sendable {
    /// The subject of a case.
    package enum Group: String, CaseIterable, Sendable {
        case plain = "Plain requests"
        case cut = "Responses cut short"
        case framing = "Lengths and chunks"
        case coding = "Compressed bodies"
        case head = "Heads and interim responses"
        case leftover = "Bytes after a response"
        case redirect = "Redirects"
        case credential = "Credentials"
        case twice = "Requests sent twice"
        case http2 = "HTTP/2"
        case input = "Requests that must not be sent"
        case time = "Time limits"
        case cancellation = "Cancellation, shutdown, many at once"
        case certificate = "Certificates, TLS versions, pins"
        case size = "Size limits and memory"
    }

    /// The unique name of the case, in lower case with hyphens.
    package let name: String
    package let group: Group
    /// The rule that clients must follow, in one sentence.
    package let rule: String
    package let servers: [ServerPlan]
    package let requests: [Request]
    package var checks: [ServerCheck] = []
    package var order = Plan.Order.oneAfterAnother
    package var limits = Plan.Limits.usual
    /// The clients that lack the feature, with the reason.
    package var notOffered: [Client: String] = [:]
    /// Whether standards leave the rule to the client. A client that behaves differently then counts as not offering
    /// it.
    package var isOptional = false

    package init(
        _ name: String, _ group: Group, _ rule: String, _ servers: [ServerPlan], _ requests: [Request],
        _ change: (inout FaultCase) -> Void = { _ in }
    ) {
        (self.name, self.group, self.rule) = (name, group, rule)
        (self.servers, self.requests) = (servers, requests)
        change(&self)
    }

    /// Makes a case with one server that answers every request in the same way, and one GET.
    package init(_ name: String, _ group: Group, _ rule: String, _ steps: Step..., expect expectation: Expectation) {
        self.init(name, group, rule, [ServerPlan(.plain, ["*": [Reply(steps)]])], [Request(expect: expectation)])
    }

    /// Whether any request uses TLS, so that the client needs the authority to trust.
    package var needsAuthority: Bool { servers.contains { $0.origin.hasPrefix("https") } }
}

extension FaultCase {
    /// One request of a case.
    package struct Request: Sendable {
        package enum Body: Sendable {
            case memory(String)
            case file(String)
            /// A file of this size.
            case largeFile(byteCount: Int)
        }

        /// The URL, with `{0}` for the origin of the first server, and so on.
        package var url: String
        package var method: String
        package var fields: [Plan.Field] = []
        package var body: Body?
        package var downloads = false
        package var credential: Plan.Credential?
        package var bodyLimit: Int?
        /// The identity whose key is the only accepted key.
        package var pin: Identity?
        package var refusesInsecureRedirects = false
        package var cancelsAfter: Int?
        package var expectation: Expectation

        package init(
            _ method: String = "GET", _ url: String = "{0}/", expect expectation: Expectation,
            _ change: (inout Request) -> Void = { _ in }
        ) {
            (self.method, self.url, self.expectation) = (method, url, expectation)
            change(&self)
        }
    }
}
