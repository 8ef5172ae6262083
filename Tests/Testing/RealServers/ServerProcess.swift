// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A server program that listens on free ports of 127.0.0.1.
struct ServerProcess: Sendable {
    /// The ports that the server listens on: one for each of `portCount`.
    let ports: [Int]
    private let watchdog: Watchdog

    /// Starts the program and waits until it listens. `command` writes the files that the program needs into the
    /// folder and returns the program's arguments.
    static func start(
        portCount: Int, command: (TemporaryFolder, [Int]) throws -> [String]
    ) async throws -> ServerProcess {
        var output = ""
        // Another program may take a free port before the server does.
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

    /// The program's output so far.
    var output: String { watchdog.output }

    /// Stops the program, and waits until the program and its folder are gone.
    func stop() async {
        await watchdog.stop()
    }
}
