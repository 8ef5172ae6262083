// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Figures
import Foundation
import Glibc
import Processes

/// Runs a program in a separate process group, which is killed as a whole at the time limit.
struct ChildGroup {
    /// The path and the arguments.
    let words: [String]
    let outputFile: URL
    let errorFile: URL
    let limit: Duration

    /// Runs the program to its end.
    func run() throws -> (end: Attempt.End, peakResidentByteCount: Int) {
        let process = try start()
        let deadline = ContinuousClock.now + limit
        var (status, usage) = (CInt(0), rusage())
        var isKilled = false
        while true {
            let ended = wait4(process, &status, isKilled ? 0 : WNOHANG, &usage)
            if ended == process { break }
            if ended < 0, errno != EINTR { throw BenchmarkError("\(words[0]) cannot be waited for") }
            if !isKilled, ContinuousClock.now > deadline || (try? Interruption.check()) == nil {
                isKilled = true
                kill(-process, SIGKILL)
            }
            if !isKilled { poll(nil, 0, 5) }
        }
        try Interruption.check()
        return (isKilled ? .killed : Self.end(status), usage.ru_maxrss * 1024)
    }

    private func start() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (descriptor, file) in [(STDOUT_FILENO, outputFile), (STDERR_FILENO, errorFile)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, file.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The server's library ignores SIGPIPE in this process. A client must work without that.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        let arguments = words.map { strdup($0) } + [nil]
        let environment = Self.environment.map { strdup($0) } + [nil]
        defer { for word in arguments + environment { free(word) } }
        var process = pid_t()
        let status = posix_spawn(&process, words[0], &actions, &attributes, arguments, environment)
        guard status == 0 else {
            throw BenchmarkError("\(words[0]) did not start: \(String(cString: strerror(status)))")
        }
        return process
    }

    /// The environment of this process without proxies, and without Swift's long crash reports.
    private static let environment: [String] = {
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
        all["SWIFT_BACKTRACE"] = "enable=no"
        return all.map { "\($0.key)=\($0.value)" }
    }()

    private static func end(_ status: CInt) -> Attempt.End {
        let signal = status & 0x7F
        guard signal == 0 else { return .crashed("killed by the signal \(String(cString: strsignal(signal)))") }
        return .exited
    }
}
