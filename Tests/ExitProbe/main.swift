// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import EarlyOpenSSL
import Foundation
import FoundationNetworking
import Glibc

// Starts requests and exits while they are under way.
//
// usage: ExitProbe STATUS MICROSECONDS AUTHORITY-FILE URL…
//
// EXIT_PROBE_STARTS_OPENSSL in the environment: OpenSSL was started, with its clean-up at exit, before the library.
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 4, let status = Int32(CommandLine.arguments[1]),
    let microseconds = UInt32(CommandLine.arguments[2])
else {
    print("usage: ExitProbe STATUS MICROSECONDS AUTHORITY-FILE URL…")
    exit(2)
}
let isEarly = ProcessInfo.processInfo.environment["EXIT_PROBE_STARTS_OPENSSL"] != nil
precondition(isEarly == (exit_probe_has_started_openssl() == 1), "OpenSSL was not started as the environment says")
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
