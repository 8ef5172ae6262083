// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

// Runs a mix of requests and faults for a given time.
//
// usage: SoakProbe [MINUTES [SEED]]
//
// The program starts servers, and proxies with faults in front of them. It runs itself again as "SoakProbe client
// PLACE-FILE" to send the requests, so that only the client is measured. The exit status is 1 if there was a fault.
let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == "client" {
    exit(try await SoakClient(placeFile: arguments[2]).run() ? 0 : 1)
}
guard let minutes = Double(arguments.count > 1 ? arguments[1] : "20"), minutes > 0,
    let seed = arguments.count > 2 ? UInt64(arguments[2]) : UInt64.random(in: 1...999_999)
else {
    print("usage: SoakProbe [MINUTES [SEED]]")
    exit(2)
}
do {
    exit(try await SoakHost(seconds: minutes * 60, seed: seed).run())
} catch {
    say("soak: \(error)")
    exit(2)
}
