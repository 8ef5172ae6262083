// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Glibc

/// `bluebonnet reachability`: shows whether the network or a host can be reached, and with `--watch` each change.
struct ReachabilityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachability",
        abstract: "Shows whether the network or a host can be reached, by which interface and route.",
        discussion: """
            It says what the kernel would do with a packet; nothing is sent, so it does not tell whether the host \
            answers. A host's name is looked up first.

            With --lines, each line is one status and then fields, in this order, separated by single spaces: \
            status=unknown|notReachable|reachableViaWWAN|reachableViaWiFi target=… interface=… \
            kind=wired|wireless|cellular|loopback|tunnel destination=… gateway=… source=…. What there is none of \
            is a "-".

            Exit status: 0 it can be reached; 1 it cannot, or that is not known; 2 the command line is wrong; 130 \
            interrupted while watching.
            """)

    @Argument(help: "A host's name or address. Without one, the network as a whole: a route to the Internet.")
    var host: String?

    @Flag(help: "Goes on with a line for each change, until it is interrupted.")
    var watch = false

    @Flag(help: "Writes lines for programs instead of text for people.")
    var lines = false

    func validate() throws {
        guard let host, host.isEmpty || host.contains(where: { $0.isWhitespace || $0 == "/" }) else { return }
        throw ValidationError("\"\(host)\" is neither a host's name nor an address: give it without scheme and path.")
    }

    /// Runs on the main thread and does not return.
    func run() throws {
        // Interrupting a watch is its normal end.
        let control = StopControl()
        try Signals.stop(control)
        control.onStop { _ in ExitStatus.interrupted.end() }
        let manager = host.map { NetworkReachabilityManager(domain: $0) } ?? .shared
        let report = ReachabilityReport(target: host, isForPrograms: lines)
        let isOneShot = !watch
        let changes = manager.changes
        manager.startMonitoring()
        Task {
            for await reachability in changes {
                guard report.write(reachability) else { ExitStatus.failure.end() }
                if isOneShot { (reachability.status.isReachable ? ExitStatus.success : .failure).end() }
            }
        }
        while true { pause() }
    }
}
