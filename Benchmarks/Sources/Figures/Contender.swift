// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A contender in the comparison: a client of a library, or a command. It does not depend on how the contender is run.
package enum Contender: String, Codable, CaseIterable, Sendable {
    /// All operations are made and queued at once, with as many in flight as the manager's limit allows.
    case bluebonnet
    /// Each completion handler queues the next operation.
    case bluebonnetLoop = "bluebonnet-loop"
    /// As `bluebonnet`, and the program reads each `HTTPURLResponse`, which is made only on demand.
    case bluebonnetResponse = "bluebonnet-response"
    /// As `bluebonnet`, with a policy that compares the authority's key with a pin.
    case bluebonnetPinned = "bluebonnet-pinned"
    /// As `bluebonnet`, with a `URLRequest` that the program makes for each request.
    case bluebonnetURLRequest = "bluebonnet-urlrequest"
    case bluebonnetAsync = "bluebonnet-async"
    case asyncHTTPClient = "async-http-client"
    case asyncHTTPClientFuture = "async-http-client-future"
    case urlSession = "urlsession"
    case libcurl
    case bluebonnetCommand = "bluebonnet-run"
    case curlCommand = "curl-Z"
    case wget2
    case aria2c
    /// nghttp2's load generator, in C and without a check of the answers: what the server can give at most.
    case h2load

    /// The name in tables.
    package var title: String {
        switch self {
        case .bluebonnet: "Bluebonnet"
        case .bluebonnetLoop: "Bluebonnet, one after another"
        case .bluebonnetResponse: "Bluebonnet, HTTPURLResponse"
        case .bluebonnetPinned: "Bluebonnet, pinned"
        case .bluebonnetURLRequest: "Bluebonnet, URLRequest"
        case .bluebonnetAsync: "Bluebonnet, async"
        case .asyncHTTPClient: "async-http-client"
        case .asyncHTTPClientFuture: "async-http-client, futures"
        case .urlSession: "URLSession"
        case .libcurl: "libcurl in C"
        case .bluebonnetCommand: "bluebonnet run"
        case .curlCommand: "curl -Z"
        case .wget2, .aria2c, .h2load: rawValue
        }
    }

    /// Whether the contender is a separate command, not a client of `LoadDriver`.
    package var isCommand: Bool {
        switch self {
        case .bluebonnetCommand, .curlCommand, .wget2, .aria2c, .h2load: true
        case .bluebonnet, .bluebonnetLoop, .bluebonnetResponse, .bluebonnetPinned, .bluebonnetURLRequest,
            .bluebonnetAsync, .asyncHTTPClient, .asyncHTTPClientFuture, .urlSession, .libcurl:
            false
        }
    }

    /// The clients of `LoadDriver`.
    package static var clients: [Contender] { allCases.filter { !$0.isCommand } }
}
