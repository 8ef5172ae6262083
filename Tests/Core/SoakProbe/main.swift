// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

// A mix of requests and faults for as long as it is told to.
//
// usage: SoakProbe [MINUTES [SEED]]
//
// The program starts servers and proxies with faults in front of them, and itself once more, as "SoakProbe client
// PLACE-FILE", for the requests: so that what is measured is the client's alone. Ends with 1 when something was wrong.
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
