// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The requests of one process with one client, and their limits. A plan knows neither the case nor the expected
/// outcomes.
package struct Plan: Codable, Sendable {
    /// The order of the requests.
    package enum Order: String, Codable, Sendable {
        /// Each request begins when the previous one has ended.
        case oneAfterAnother
        /// All requests begin at once.
        case allAtOnce
        /// All requests begin at once, and the client is shut down 500 ms later.
        case shutDownWhileRunning
    }

    package var requests: [Request]
    package var order: Order
    package var limits: Limits
    /// The path of a PEM file with the authorities to trust; nil means the client's default.
    package var authorityFile: String?

    package init(requests: [Request], order: Order, limits: Limits, authorityFile: String?) {
        (self.requests, self.order, self.limits, self.authorityFile) = (requests, order, limits, authorityFile)
    }
}

extension Plan {
    /// The time limits in seconds, for clients that support them.
    package struct Limits: Codable, Sendable, Equatable {
        package let connect: Int
        /// The limit of the time without a byte.
        package let idle: Int
        /// The limit of the whole request.
        package let total: Int

        /// The limits of cases that set no others.
        package static let usual = Limits(connect: 3, idle: 3, total: 8)
        /// Limits longer than the time after which an attempt counts as a hang, so that only a cancellation can end a
        /// request.
        package static let longerThanHang = Limits(connect: 120, idle: 120, total: 120)
    }

    /// One request.
    package struct Request: Codable, Sendable {
        package var url: String
        package var method = "GET"
        package var fields: [Field] = []
        /// The path of the file with the request's body.
        package var bodyFile: String?
        /// Whether the client sends the body from the file, not from memory.
        package var sendsFile = false
        /// The path of the file for the response's body.
        package var outputFile: String
        /// Whether the client itself writes `outputFile`, as for downloads.
        package var downloads = false
        package var credential: Credential?
        /// The maximum size of the response's body, in bytes.
        package var bodyLimit: Int?
        /// The digest of the only accepted public key of a server, in Base64.
        package var pin: String?
        /// Whether to refuse a redirect from https to http, if the client has an option for that.
        package var refusesInsecureRedirects = false
        /// The time after which the request is cancelled, in milliseconds.
        package var cancelsAfter: Int?

        package init(url: String, outputFile: String) {
            (self.url, self.outputFile) = (url, outputFile)
        }
    }

    /// A header field.
    package struct Field: Codable, Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The user name and password for a request's own origin.
    package struct Credential: Codable, Sendable, Equatable {
        package let user: String
        package let password: String
        package let isDigest: Bool

        package static let basic = Credential(user: "ada", password: "secret", isDigest: false)
        package static let digest = Credential(user: "ada", password: "secret", isDigest: true)
    }
}
