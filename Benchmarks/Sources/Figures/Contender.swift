// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One of those that are compared: a client of a library, or a command. It does not know how it is run.
package enum Contender: String, Codable, CaseIterable, Sendable {
    /// Operations made and queued all at once, the manager's limit in flight.
    case bluebonnet
    /// Each completion handler queues the next operation.
    case bluebonnetLoop = "bluebonnet-loop"
    /// The first one, with each `HTTPURLResponse` asked for, which is made only then.
    case bluebonnetResponse = "bluebonnet-response"
    /// The first one, with a policy that compares the authority's key with a pin.
    case bluebonnetPinned = "bluebonnet-pinned"
    /// The first one, from a `URLRequest` that the program makes for each request.
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

    /// What tables call it.
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
        case .wget2, .aria2c: rawValue
        }
    }

    /// Whether it is a command of its own, not a client of `LoadDriver`.
    package var isCommand: Bool {
        switch self {
        case .bluebonnetCommand, .curlCommand, .wget2, .aria2c: true
        case .bluebonnet, .bluebonnetLoop, .bluebonnetResponse, .bluebonnetPinned, .bluebonnetURLRequest,
            .bluebonnetAsync, .asyncHTTPClient, .asyncHTTPClientFuture, .urlSession, .libcurl:
            false
        }
    }

    /// Those that `LoadDriver` has.
    package static var clients: [Contender] { allCases.filter { !$0.isCommand } }
}
