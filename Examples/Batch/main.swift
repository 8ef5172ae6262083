// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

// Sends a batch of GET requests with one progress closure and one completion.
//
//     BatchExample http://127.0.0.1:8080/
//
// The server must answer GET /items/1 to /items/20 with JSON, as `Demo --serve` does.
guard let argument = CommandLine.arguments.dropFirst().first, let baseURL = URL(string: argument) else {
    print("usage: BatchExample BASE-URL")
    exit(2)
}

// All operations of a manager share its base URL, its serializers and its limits. The default response serializer
// expects JSON.
let manager = RequestOperationManager(baseURL: baseURL)
let requests = try (1...20).map { try manager.request("GET", "items/\($0)", parameters: ["currency": "EUR"]) }
let operations = requests.map { manager.operation(with: $0) }

// Nothing is sent before the batch is enqueued. The manager limits the number of concurrent transfers.
let batch = manager.enqueueBatch(of: operations) { finishedCount, totalCount in
    print("\(finishedCount) of \(totalCount)")
} completion: { operations in
    // Runs once, after every operation has succeeded, failed or been cancelled. The operations are in the order of the
    // input.
    let prices = operations.compactMap { ($0.responseObject as? JSONValue)?["price"]?.integer }
    let errors = operations.compactMap(\.error)
    print("\(prices.count) prices, \(prices.reduce(0, +)) EUR together; \(errors.count) requests failed")
    for error in errors { print("  \(error)") }
}

// The completion runs on a queue of the library. Without this call, the program could end before the completion.
try await batch.waitUntilFinished()
exit(operations.allSatisfy { $0.error == nil } ? 0 : 1)
