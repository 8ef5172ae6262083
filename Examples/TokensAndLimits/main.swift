// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking

// A batch against a server that limits its clients, and whose tokens expire while the batch runs.
//
//     TokensAndLimitsExample http://127.0.0.1:8080/
//
// The server is one like that of `Demo --serve`: it answers 100 readings a second, and its tokens are good for one
// second.
guard let argument = CommandLine.arguments.dropFirst().first, let baseURL = URL(string: argument) else {
    print("usage: TokensAndLimitsExample BASE-URL")
    exit(2)
}

let manager = RequestOperationManager(baseURL: baseURL)

// What the server refuses with 429 is sent again, as late as it says. Here many are refused at once: the budget, which
// keeps retries at a fifth of all requests, would end some of them.
var policy = RetryPolicy.standard
policy.maximumAttemptCount = 10
policy.usesBudget = false
manager.retryPolicy = policy

// One token for all operations. There is only a refresh token at first.
let endpoint = TokenEndpoint(baseURL.appendingPathComponent("token"), clientID: "readings", clientSecret: "demo")
let start = BearerToken("none yet", refreshToken: "demo-refresh", expiryDate: .distantPast)
manager.authenticator = SharedAuthenticator(BearerAuthenticator(endpoint), credential: start, origins: [baseURL])

// Each attempt has a number of its own in the server's log.
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
