// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking

// Runs a batch against a server that limits its clients, with tokens that expire while the batch runs.
//
//     TokensAndLimitsExample http://127.0.0.1:8080/
//
// The server must be like that of `Demo --serve`: it answers 100 readings per second, and its tokens expire after one
// second.
guard let argument = CommandLine.arguments.dropFirst().first, let baseURL = URL(string: argument) else {
    print("usage: TokensAndLimitsExample BASE-URL")
    exit(2)
}

let manager = RequestOperationManager(baseURL: baseURL)

// Requests refused with 429 are retried after the time that the server requests. Here many are refused at once: the
// retry budget, which limits retries to a fifth of all requests, would end some of them.
var policy = RetryPolicy.standard
policy.maximumAttemptCount = 10
policy.usesBudget = false
manager.retryPolicy = policy

// All operations share one token. At first there is only a refresh token.
let endpoint = TokenEndpoint(baseURL.appendingPathComponent("token"), clientID: "readings", clientSecret: "demo")
let start = BearerToken("none yet", refreshToken: "demo-refresh", expiryDate: .distantPast)
manager.authenticator = SharedAuthenticator(BearerAuthenticator(endpoint), credential: start, origins: [baseURL])

// Each attempt has a different id in the server's log.
manager.requestAdapters = [.block { $0.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID") }]

let operations = (1...200).map { manager.operation("GET", "readings/\($0)") }
manager.enqueueBatch(of: operations, progress: nil, completion: nil)
for operation in operations { try await operation.waitUntilEnded() }

let failed = operations.compactMap(\.error)
let retries = operations.flatMap(\.retries)
let tokens = Set(operations.compactMap { ($0.responseObject as? JSONValue)?["token"]?.string })
print("\(operations.count - failed.count) of \(operations.count) readings with \(tokens.count) tokens")
print("\(retries.count) attempts were refused and sent again")
if let error = failed.first { print("\(error)\nbecause of \(error.underlying.map { "\($0)" } ?? "nothing else")") }
exit(failed.isEmpty ? 0 : 1)
