// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A client in the comparison.
package enum Client: String, CaseIterable, Codable, Sendable {
    case bluebonnet
    case asyncHTTPClient = "async-http-client"
    case urlSession = "urlsession"
    case curl

    /// The name of the client in tables.
    package var title: String {
        switch self {
        case .bluebonnet: "Bluebonnet"
        case .asyncHTTPClient: "async-http-client"
        case .urlSession: "URLSession"
        case .curl: "curl"
        }
    }
}
