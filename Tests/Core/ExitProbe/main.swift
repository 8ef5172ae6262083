// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import CExit
import EarlyOpenSSL
import Foundation
import Glibc

// Starts requests and certificate work, and exits while both are in progress.
//
// usage: ExitProbe STATUS MICROSECONDS AUTHORITY-FILE FOLDER URL…
//
// Environment variables:
// - EXIT_PROBE_AWAITS_ANSWER: start counting the microseconds when the first request has been answered. Without an
//   answer the program is killed.
// - EXIT_PROBE_STARTS_OPENSSL: start OpenSSL, with its clean-up at exit, before the library.
// - EXIT_PROBE_WORKS_LATE: read a certificate in an atexit function that was registered before the library was
//   loaded, and print its names.
// - EXIT_PROBE_FORKS: fork children that exit while another thread uses OpenSSL, and print the milliseconds of each.
let arguments = CommandLine.arguments
guard arguments.count >= 6, let status = Int32(arguments[1]), let microseconds = UInt32(arguments[2]) else {
    print("usage: ExitProbe STATUS MICROSECONDS AUTHORITY-FILE FOLDER URL…")
    exit(2)
}
let environment = ProcessInfo.processInfo.environment
let isEarly = environment["EXIT_PROBE_STARTS_OPENSSL"] != nil
precondition(isEarly == (exit_probe_has_started_openssl() == 1), "OpenSSL was not started as the environment says")
alarm(60)  // kills a hanging program
if environment["EXIT_PROBE_FORKS"] != nil {
    let isUsing = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        bluebonnet_openssl_use_begins()
        isUsing.signal()
        while true { sleep(1) }
    }
    isUsing.wait()
    let times = (0..<5).map { _ in exit_probe_child_exits(status) }  // a child would print buffered output again
    print(times.map { "\($0)" }.joined(separator: "\n"))
    exit(status)
}
exit_probe_set_late_work {
    let names = try? CertificateWork.once(authorityFile: CommandLine.arguments[3])
    print(names?.joined(separator: " ") ?? "no certificate")
}
var configuration = RequestOperationManager.Configuration()
configuration.transferOptions.securityPolicy = try SecurityPolicy(authorities: .file(arguments[3]))
let hasAnswer = DispatchSemaphore(value: 0)
CertificateWork.start(authorityFile: arguments[3])
Requests(
    manager: RequestOperationManager(configuration: configuration),
    urls: arguments.dropFirst(5).compactMap { URL(string: $0) },
    folder: URL(fileURLWithPath: arguments[4]), uploadFile: URL(fileURLWithPath: arguments[3]),
    whenAnswered: { [hasAnswer] in hasAnswer.signal() }
).start(count: 50)
if environment["EXIT_PROBE_AWAITS_ANSWER"] != nil { hasAnswer.wait() }
usleep(microseconds)
exit(status)
