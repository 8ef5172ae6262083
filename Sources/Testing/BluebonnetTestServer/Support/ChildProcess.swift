// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
package import Glibc

/// Starts programs without Foundation's `Process`, which keeps a thread and descriptors. The child gets only the
/// descriptors named here, its own process group, and default signals.
package enum ChildProcess {
    /// Starts a program and returns its process id. The program's output is appended to a file.
    package static func spawn(_ arguments: [String], input: Int32? = nil, outputPath: String = "/dev/null") throws
        -> pid_t
    {
        guard let path = find(arguments[0]) else { throw TestServerError("\(arguments[0]) is not installed") }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Closing descriptors above the limit would fail the spawn; closing unused ones has no effect.
        for descriptor in 3..<min(Int32(sysconf(Int32(_SC_OPEN_MAX))), 4096) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        setDefaults(&attributes)
        var pid = pid_t()
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let status = posix_spawn(&pid, path, &actions, &attributes, words, environ)
        guard status == 0 else { throw TestServerError("\(path) did not start: \(String(cString: strerror(status)))") }
        return pid
    }

    /// Runs a program to its end and returns its output. Throws an error that contains the output if the exit status
    /// is not 0.
    @discardableResult
    package static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> String {
        let outputPath = folder.path("output-\(UUID().uuidString)")
        let pid = try spawn(arguments, outputPath: outputPath)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        let output = contents(of: outputPath)
        guard status == 0 else {
            throw TestServerError("\(arguments.joined(separator: " ")) failed:\n\(output)")
        }
        unlink(outputPath)
        return output
    }

    /// Returns whether a child has exited. The exit status is discarded.
    package static func hasExited(_ pid: pid_t) -> Bool {
        waitpid(pid, nil, WNOHANG) != 0
    }

    /// Returns the path of a program, from `PATH` or from the folders of system programs, which an ordinary user's
    /// `PATH` omits.
    package static func find(_ program: String) -> String? {
        if program.contains("/") { return access(program, X_OK) == 0 ? program : nil }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
        return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    /// Returns the text of a file, or an empty text if it cannot be read.
    package static func contents(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    private static func setDefaults(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        var broken = sigset_t()
        sigemptyset(&none)
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &broken)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }
}
