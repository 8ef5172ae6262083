// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
package import Foundation
import Glibc

/// Starts programs and waits for them.
package enum Spawning {
    /// Starts a program and returns its process id.
    ///
    /// - Parameter output: a descriptor of this process that becomes the child's standard output.
    package static func start(_ arguments: [String], output: CInt? = nil) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let status = posix_spawn(&process, arguments[0], &actions, nil, words, environ)
        guard status == 0 else {
            throw BenchmarkError("\(arguments[0]) did not start: \(String(cString: strerror(status)))")
        }
        return process
    }

    /// Waits until a child has ended. Returns its wait status and its resource usage.
    package static func wait(for process: pid_t) -> (status: CInt, usage: rusage) {
        var (status, usage) = (CInt(0), rusage())
        while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
        return (status, usage)
    }

    /// Sends a signal to a child and waits until it has ended.
    package static func end(_ process: pid_t, with signal: CInt) {
        kill(process, signal)
        _ = wait(for: process)
    }

    /// Asks a child to end, as Ctrl-C would, so that it can stop its own children. After five seconds it is killed.
    package static func interrupt(_ process: pid_t) {
        kill(process, SIGINT)
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline {
            if waitpid(process, nil, WNOHANG) == process { return }
            poll(nil, 0, 10)
        }
        end(process, with: SIGKILL)
    }

    /// Returns the path of a program, from `PATH` or from the folders of system programs, which an ordinary user's
    /// `PATH` omits.
    package static func find(_ program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
        return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
