// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking
import Glibc

// Starts requests and exits while they are under way.
//
// usage: ExitProbe STATUS MICROSECONDS AUTHORITY-FILE URL…
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 4, let status = Int32(CommandLine.arguments[1]),
    let microseconds = UInt32(CommandLine.arguments[2])
else {
    print("usage: ExitProbe STATUS MICROSECONDS AUTHORITY-FILE URL…")
    exit(2)
}
var configuration = RequestOperationManager.Configuration()
configuration.transferOptions.securityPolicy = try SecurityPolicy(
    certificateAuthorityFile: CommandLine.arguments[3])
let manager = RequestOperationManager(configuration: configuration)
let urls = arguments.dropFirst(3).compactMap { URL(string: $0) }
for number in 0..<50 {
    manager.operationQueue.addOperation(manager.operation(with: URLRequest(url: urls[number % urls.count])))
}
usleep(microseconds)
exit(status)
