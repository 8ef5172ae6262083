// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

// Prints whether a host can be reached, and each change.
//
//     ReachabilityExample example.com 3
//
// The number is the number of events to wait for; the first event comes at once. Without a number, the program runs
// until it is stopped. To cause events, pull a cable, or run "ip link set dev eth0 down" in another terminal.
let arguments = CommandLine.arguments.dropFirst()
guard let host = arguments.first else {
    print("usage: ReachabilityExample HOST [EVENTS]")
    exit(2)
}
let limit = arguments.dropFirst().first.flatMap { Int($0) } ?? .max

let manager = NetworkReachabilityManager(domain: host)

// A block, as with AFNetworking. It runs on a queue of the program, or by default of the library.
manager.setReachabilityStatusChangeBlock { status in
    print("block: \(status.localizedDescription)")
}

// A stream, which also reports the route.
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
