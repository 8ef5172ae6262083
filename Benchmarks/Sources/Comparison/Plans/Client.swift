// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A client that takes part.
package enum Client: String, CaseIterable, Codable, Sendable {
    case bluebonnet
    case asyncHTTPClient = "async-http-client"
    case urlSession = "urlsession"
    case curl

    /// Its name in tables.
    package var title: String {
        switch self {
        case .bluebonnet: "Bluebonnet"
        case .asyncHTTPClient: "async-http-client"
        case .urlSession: "URLSession"
        case .curl: "curl"
        }
    }
}
