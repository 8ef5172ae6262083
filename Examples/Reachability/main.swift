// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

// Prints whether a host can be reached, and every change of it.
//
//     ReachabilityExample example.com 3
//
// The number is how many events to wait for, the first of which comes at once; without it, it goes on until it is
// stopped. Pull a cable, or try "ip link set dev eth0 down" in another terminal.
let arguments = CommandLine.arguments.dropFirst()
guard let host = arguments.first else {
    print("usage: ReachabilityExample HOST [EVENTS]")
    exit(2)
}
let limit = arguments.dropFirst().first.flatMap { Int($0) } ?? .max

let manager = NetworkReachabilityManager(domain: host)

// As with AFNetworking: a block, on a queue of yours or the library's own.
manager.setReachabilityStatusChangeBlock { status in
    print("block: \(status.localizedDescription)")
}

// Or as a stream, which says too which way leads there.
let changes = manager.changes
manager.startMonitoring()
var count = 0
for await reachability in changes {
    count += 1
    if let route = reachability.route {
        print("stream: \(route.destination) by \(route.interface.name), which is \(route.interface.kind.rawValue)")
    } else {
        print("stream: no way to \(host)")
    }
    if count == limit { break }
}
manager.stopMonitoring()
exit(manager.isReachable ? 0 : 1)
