// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Glibc

/// `bluebonnet reachability`: shows whether the network or a host can be reached, and with `--watch` each change.
struct ReachabilityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachability",
        abstract: "Shows whether the network or a host is reachable, and by which interface and route.",
        discussion: """
            The command shows how the kernel would route a packet. Nothing is sent, so it does not show whether the \
            host answers. A host name is resolved first.

            With --lines, each line is one status and then fields, in this order, separated by single spaces: \
            status=unknown|notReachable|reachableViaWWAN|reachableViaWiFi target=… interface=… \
            kind=wired|wireless|cellular|loopback|tunnel destination=… gateway=… source=…. A field without \
            a value is "-".

            Exit status: 0 reachable; 1 not reachable, or not known; 2 the command line is invalid; 130 interrupted \
            while watching.
            """)

    @Argument(help: "A host name or address. Without one, the command checks for a route to the Internet.")
    var host: String?

    @Flag(help: "Keep running and write a line for each change.")
    var watch = false

    @Flag(help: "Write machine-readable lines instead of text.")
    var lines = false

    func validate() throws {
        guard let host, host.isEmpty || host.contains(where: { $0.isWhitespace || $0 == "/" }) else { return }
        throw ValidationError("\"\(host)\" is neither a host name nor an address: omit the scheme and the path.")
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
