// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A server that is a program of its own, listening on free ports of 127.0.0.1.
struct ServerProcess: Sendable {
    /// The ports it listens on, as many as were asked for.
    let ports: [Int]
    private let watchdog: Watchdog

    /// Starts the program and waits until it listens. `command` writes what the program needs into the folder and
    /// returns its arguments.
    static func start(
        portCount: Int, command: (TemporaryFolder, [Int]) throws -> [String]
    ) async throws -> ServerProcess {
        var output = ""
        // A port that was free may be taken before the program gets to it.
        for _ in 1...3 {
            let folder = try TemporaryFolder()
            let ports = try (0..<portCount).map { _ in try LoopbackPort.unused() }
            let watchdog = try Watchdog(command(folder, ports), in: folder)
            await Polling.lastValue(of: watchdog.hasExited || ports.allSatisfy(LoopbackPort.accepts)) { $0 }
            if !watchdog.hasExited && ports.allSatisfy(LoopbackPort.accepts) {
                return ServerProcess(ports: ports, watchdog: watchdog)
            }
            output = watchdog.output
            await watchdog.stop()
        }
        throw TestServerError("the server did not come up:\n\(output)")
    }

    /// The folder of the program.
    var folder: TemporaryFolder { watchdog.folder }

    /// What the program printed so far.
    var output: String { watchdog.output }

    /// Stops the program and waits until it is gone, with its folder.
    func stop() async {
        await watchdog.stop()
    }
}
