// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer

/// A program that runs in a network namespace until it is stopped.
public final class NamespaceProgram: Sendable {
    private let watchdog: Watchdog

    private init(watchdog: Watchdog) { self.watchdog = watchdog }

    /// Starts a Python script that needs only the standard library, and waits until it prints "ready".
    public static func start(
        python script: String, _ arguments: [String] = [], in namespace: NetworkNamespace
    ) async throws -> NamespaceProgram {
        let folder = try TemporaryFolder()
        let path = try folder.write("script.py", script)
        let program = NamespaceProgram(
            watchdog: try Watchdog(namespace.command(["python3", "-u", path] + arguments), in: folder))
        let isReady = { program.output.contains("ready\n") }
        await Polling.lastValue(of: isReady() || program.watchdog.hasExited) { $0 }
        if isReady() { return program }
        let output = program.output
        await program.stop()
        throw TestServerError("the program did not come up:\n\(output)")
    }

    /// The program's output so far.
    public var output: String { watchdog.output }

    /// Stops the program and waits until it is gone.
    public func stop() async { await watchdog.stop() }
}
