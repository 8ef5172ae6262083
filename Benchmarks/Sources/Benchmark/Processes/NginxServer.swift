// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// An nginx of one process, on a free port of 127.0.0.1, that keeps connections alive without limit and logs nothing.
///
/// It answers `/tiny` with 13 bytes and serves the files in its folder.
struct NginxServer {
    private let process: pid_t
    private let port: UInt16

    /// The body of `/tiny`.
    static let tinyBody = "Hello, world!"

    /// The URL of a path.
    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else {
            throw BenchmarkError("\(path) is not a path of a URL")
        }
        return url
    }

    /// Starts a server in a folder, runs `body`, and stops the server however that ended.
    static func whileRunning<Result>(in folder: URL, _ body: (NginxServer) throws -> Result) throws -> Result {
        let server = try start(in: folder)
        defer { Spawning.end(server.process, with: SIGTERM) }
        return try body(server)
    }

    // A port that was free may be taken before nginx gets to it.
    private static func start(in folder: URL) throws -> NginxServer {
        for _ in 1...3 {
            let port = try Loopback.freePort()
            let process = try Spawning.start(try command(in: folder, port: port))
            do {
                if try isUp(process, port) { return NginxServer(process: process, port: port) }
            } catch {
                Spawning.end(process, with: SIGKILL)
                throw error
            }
        }
        throw BenchmarkError("nginx did not start")
    }

    /// Waits until it listens; false when it has ended instead.
    private static func isUp(_ process: pid_t, _ port: UInt16) throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while !Loopback.accepts(port) {
            try Interruption.check()
            if waitpid(process, nil, WNOHANG) == process { return false }
            if ContinuousClock.now > deadline { throw BenchmarkError("nginx does not listen") }
            poll(nil, 0, 10)
        }
        return true
    }
}

// MARK: - How it is started

extension NginxServer {
    private static func command(in folder: URL, port: UInt16) throws -> [String] {
        guard let nginx = Spawning.find("nginx") else {
            throw BenchmarkError("nginx is not installed (on Debian and Ubuntu: the package nginx-light)")
        }
        let file = folder.appendingPathComponent("nginx.conf")
        try settings(in: folder, port: port).write(to: file, atomically: false, encoding: .utf8)
        let words = [nginx, "-p", folder.path, "-c", file.path, "-e", "stderr"]
        // Where there is setpriv, the kernel stops nginx even when this process is killed.
        return Spawning.find("setpriv").map { [$0, "--pdeathsig", "TERM", "--"] + words } ?? words
    }

    private static func settings(in folder: URL, port: UInt16) -> String {
        let temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \"\(folder.path)/\($0)\";" }.joined(separator: "\n    ")
        return """
            daemon off;
            master_process off;
            pid "\(folder.path)/nginx.pid";
            error_log stderr warn;
            events { worker_connections 4096; }
            http {
                access_log off;
                \(temporaryPaths)
                keepalive_requests 1000000000;
                keepalive_timeout 1h;
                sendfile on;
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                    root "\(folder.path)";
                    location = /tiny { return 200 "\(tinyBody)"; }
                }
            }

            """
    }
}
