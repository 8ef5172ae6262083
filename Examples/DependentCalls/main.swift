// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking

// Makes a call that needs the result of an earlier one: a login, then a page that requires the login's token. First
// with operations and callbacks, then with async and await.
//
//     DependentCallsExample http://127.0.0.1:8080/
//
// The server must be like that of `Demo --serve`.
guard let argument = CommandLine.arguments.dropFirst().first, let baseURL = URL(string: argument) else {
    print("usage: DependentCallsExample BASE-URL")
    exit(2)
}

let manager = RequestOperationManager(baseURL: baseURL)
manager.requestSerializer = JSONRequestSerializer()
let account = ["user": "ada", "password": "lovelace"]

/// Returns the request for a page, with the token from a login.
@Sendable func request(for page: String, using login: JSONValue?) throws -> URLRequest {
    guard let token = login?["token"]?.string else {
        throw NetworkingError(.dependencyFailed, "there is no token to ask for \(page) with")
    }
    var request = try manager.request("GET", page)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    return request
}

// With operations: `profile` starts after `login` has ended, and its request is made only then. If the login failed,
// the closure throws: its error becomes the operation's error, and nothing is sent.
let login = manager.enqueue(manager.operation("POST", "login", parameters: account))
let profile = manager.operation(after: [login]) {
    try request(for: "users/42", using: login.responseObject as? JSONValue)
}
profile.setCompletionBlock { _, object in
    print("callbacks:", (object as? JSONValue)?["name"]?.string ?? "no name")
} failure: { _, error in
    print("callbacks:", error)
}
manager.enqueue(profile)
try await profile.waitUntilEnded()

// With async and await: calls in sequence, and errors are thrown.
do {
    let login: JSONValue = try await manager.post("login", parameters: account)
    let token = login["token"]?.string ?? ""
    let profile: JSONValue = try await manager.get("users/42", headers: ["Authorization": "Bearer \(token)"])
    print("async:", profile["name"]?.string ?? "no name")
} catch {
    print("async:", error)
}
exit(profile.error == nil ? 0 : 1)
