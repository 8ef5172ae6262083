// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Foundation
import Glibc

/// Runs a program in a temporary folder, and ends the program and removes the folder when this process ends for any
/// reason.
///
/// A small shell runs in between. It has one end of a pipe, and this process has the only other end. When this end is
/// closed, by `stop()` or because this process was killed, the shell ends the program's process group and removes the
/// folder.
package final class Watchdog: Sendable {
    /// The program's folder. The file `output` contains the program's output.
    package let folder: TemporaryFolder

    private struct State {
        var pipeEnd: Int32?
        var shell: pid_t?
    }

    private static let script = """
        folder=$1; shift
        exec 3<&0
        "$@" </dev/null & program=$!
        { read -r _ <&3; kill "$program"; sleep 5; kill -KILL "$program"; } & reader=$!
        wait "$program"; status=$?
        kill "$reader"
        echo "$status" >"$folder/exited"
        read -r _ <&3
        rm -rf "$folder"
        kill -KILL 0
        """

    private let state: Mutex<State>

    /// Starts a program. Without a program, only the folder is watched.
    package init(_ command: [String], in folder: TemporaryFolder) throws {
        self.folder = folder
        let command = try command.isEmpty ? ["true"] : [Self.path(of: command[0])] + command.dropFirst()
        var ends: [Int32] = [-1, -1]
        // A pair of sockets, because `pipe2` is not available here, and a descriptor that leaked into another child of
        // this process would keep the program running.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw TestServerError("no descriptors for a pipe") }
        defer { close(ends[0]) }
        do {
            let shell = try ChildProcess.spawn(
                ["/bin/sh", "-c", Self.script, "sh", folder.url.path] + command,
                input: ends[0], outputPath: folder.path("output"))
            state = Mutex(State(pipeEnd: ends[1], shell: shell))
        } catch {
            close(ends[1])
            throw error
        }
    }

    deinit {
        hangUp()
    }

    /// Whether the program has ended by itself.
    package var hasExited: Bool { FileManager.default.fileExists(atPath: folder.path("exited")) }

    /// The program's output so far.
    package var output: String { ChildProcess.contents(of: folder.path("output")) }

    /// Ends the program, and waits until the program has ended and its folder is removed.
    package func stop() async {
        hangUp()
        guard let shell = state.withLock({ $0.shell }) else { return }
        await Polling.lastValue(of: ChildProcess.hasExited(shell)) { $0 }
        state.withLock { $0.shell = nil }
    }

    // The shell would search `PATH` only, which omits system programs for an ordinary user.
    private static func path(of program: String) throws -> String {
        guard let path = ChildProcess.find(program) else { throw TestServerError("\(program) is not installed") }
        return path
    }

    private func hangUp() {
        state.withLock { state in
            if let end = state.pipeEnd { close(end) }
            state.pipeEnd = nil
        }
    }
}
