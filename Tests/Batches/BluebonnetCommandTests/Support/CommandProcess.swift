// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetLocks
import BluebonnetTestServer
import Foundation
import Glibc

/// The built command in a separate process.
final class CommandProcess: Sendable {
    /// How the process ended.
    struct End: Sendable {
        /// The exit status, or 128 plus the number of the signal that killed the process.
        let status: Int32
        let output: String
        let errors: String

        /// The result lines on standard output.
        var results: [ResultLine] {
            get throws { try Self.results(in: output) }
        }

        static func results(in text: String) throws -> [ResultLine] {
            try text.split(separator: "\n").map { try JSONDecoder().decode(ResultLine.self, from: Data($0.utf8)) }
        }
    }

    let id: pid_t
    private let isCollected = Mutex(false)
    private let outputPath: String
    private let errorPath: String

    /// Starts a program that was built next to the tests.
    ///
    /// - Parameters:
    ///   - input: the standard input; it is not closed here.
    ///   - output: the standard output; nil keeps the output for `end()`.
    ///   - errors: the standard error; nil keeps it for `end()`.
    init(
        _ arguments: [String], program: String = "bluebonnet", input: Int32? = nil, output: Int32? = nil,
        errors: Int32? = nil, in folder: TemporaryFolder
    ) throws {
        outputPath = folder.path("output-\(UUID().uuidString)")
        errorPath = folder.path("errors-\(UUID().uuidString)")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT, 0o600)
        for (own, descriptor) in [input, output, errors].enumerated() {
            if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(own)) }
        }
        // The process must not inherit the ends of other tests' pipes. Closing a descriptor that is not open does no
        // harm.
        for descriptor in Int32(3)..<512 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        id = try Self.spawn([Self.path(of: program)] + arguments, &actions)
    }

    /// The path of a program that was built next to the tests. An absolute path is returned unchanged.
    static func path(of name: String) -> String {
        if name.hasPrefix("/") { return name }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Spawns a process with signals as in a shell, even if the test runner changed them.
    private static func spawn(_ arguments: [String], _ actions: inout posix_spawn_file_actions_t) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let words = arguments.map { strdup($0) } + [nil]
        defer {
            posix_spawnattr_destroy(&attributes)
            for word in words { free(word) }
        }
        var id = pid_t()
        let problem = posix_spawn(&id, arguments[0], &actions, &attributes, words, environ)
        guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .ENOENT) }
        return id
    }

    /// Collects a process that a failed test left behind. An uncollected child keeps the monitor of Swift Testing's
    /// exit tests busy forever.
    deinit {
        guard !isCollected.withLock(\.self) else { return }
        kill(id, SIGKILL)
        while waitpid(id, nil, 0) < 0 && errno == EINTR {}
    }

    /// Sends the process a signal.
    func send(_ signal: Int32) {
        kill(id, signal)
    }

    /// Waits until the process has ended. Kills it if the waiting task is cancelled. Call this once.
    func end() async -> End {
        isCollected.withLock { $0 = true }
        let status = await withTaskCancellationHandler {
            await withCheckedContinuation { (done: CheckedContinuation<Int32, Never>) in
                Thread.detachNewThread { [id] in
                    var status: Int32 = 0
                    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
                    done.resume(returning: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
                }
            }
        } onCancel: {
            kill(id, SIGKILL)
        }
        return End(status: status, output: Self.text(of: outputPath), errors: Self.text(of: errorPath))
    }

    private static func text(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
