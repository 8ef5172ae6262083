// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

// Sends a request to a URL, and then the request that is traced: see trace.py.
//
// usage: TraceProbe URL
alarm(120)  // a program that does not end is killed
guard CommandLine.arguments.count == 2 else {
    print("usage: TraceProbe URL")
    exit(2)
}
let (manager, url) = (RequestOperationManager(), CommandLine.arguments[1])
_ = try await manager.get(url, as: [Int].self)
print(try await tracedRequest(manager, url))
