// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What one process does with one client: requests, and the limits of each. It knows neither the case nor what is right.
package struct Plan: Codable, Sendable {
    /// How the requests follow each other.
    package enum Order: String, Codable, Sendable {
        /// Each begins when the one before has ended.
        case oneAfterAnother
        /// All begin at once.
        case allAtOnce
        /// All begin at once, and the client is shut down 500 ms later.
        case shutDownWhileRunning
    }

    package var requests: [Request]
    package var order: Order
    package var limits: Limits
    /// A PEM file of the authorities to trust; nil is the client's default.
    package var authorityFile: String?

    package init(requests: [Request], order: Order, limits: Limits, authorityFile: String?) {
        (self.requests, self.order, self.limits, self.authorityFile) = (requests, order, limits, authorityFile)
    }
}

extension Plan {
    /// The time limits that a client is given, where it has such limits, in seconds.
    package struct Limits: Codable, Sendable, Equatable {
        package let connect: Int
        /// Without a byte.
        package let idle: Int
        /// For the whole request.
        package let total: Int

        /// What every case has that says nothing else.
        package static let usual = Limits(connect: 3, idle: 3, total: 8)
        /// Longer than the time after which an attempt counts as a hang, so that only a cancellation can end a request.
        package static let longerThanHang = Limits(connect: 120, idle: 120, total: 120)
    }

    /// One request.
    package struct Request: Codable, Sendable {
        package var url: String
        package var method = "GET"
        package var fields: [Field] = []
        /// The file that has the body to send.
        package var bodyFile: String?
        /// Whether the body is sent from the file, not from memory.
        package var sendsFile = false
        /// Where the response's body is found afterwards.
        package var outputFile: String
        /// Whether the client itself writes `outputFile`, as it does downloads.
        package var downloads = false
        package var credential: Credential?
        /// The most bytes of the response's body.
        package var bodyLimit: Int?
        /// The digest of the only accepted public key of a server, in Base64.
        package var pin: String?
        /// Whether a redirect from https to http is refused, where the client has an option for that.
        package var refusesInsecureRedirects = false
        /// Milliseconds after which the request is cancelled.
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

    /// The name and password for a request's own origin.
    package struct Credential: Codable, Sendable, Equatable {
        package let user: String
        package let password: String
        package let isDigest: Bool

        package static let basic = Credential(user: "ada", password: "secret", isDigest: false)
        package static let digest = Credential(user: "ada", password: "secret", isDigest: true)
    }
}
