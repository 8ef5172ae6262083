// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc
import LoadClients
import Processes

/// An nginx with one process, on free ports of 127.0.0.1, that keeps connections alive without limit.
///
/// It answers `/tiny` with 13 bytes for any method, `/json` with 1 kB of JSON, and `/sink` after it has read the
/// request's body, and serves the files in its folder. `/limited` is answered at most `limitedRate` times per second,
/// with a burst of 20, and with status 429 beyond that. The number of bytes read for `/sink` is in `sink.log`. The
/// origins for mixed traffic answer every request with the same small JSON.
struct NginxServer {
    private let process: pid_t
    private let ports: Ports

    /// One port for each wire, and the ports for mixed traffic.
    struct Ports {
        let plain: UInt16
        let tls: UInt16
        let http2: UInt16
        let mixed: [UInt16]

        init() throws {
            let ports = try Loopback.freePorts(3 + (Work.mixed.mixedOriginCount ?? 0))
            (plain, tls, http2, mixed) = (ports[0], ports[1], ports[2], Array(ports[3...]))
        }
    }

    /// The body of `/tiny`.
    static let tinyBody = "Hello, world!"

    /// The number of requests for `/limited` that are answered per second.
    static let limitedRate = 200

    /// Returns the URL of a path.
    func url(_ path: String, _ wire: Wire = .plain) throws -> URL {
        let origin =
            switch wire {
            case .plain: "http://127.0.0.1:\(ports.plain)"
            case .tls: "https://127.0.0.1:\(ports.tls)"
            case .http2: "https://127.0.0.1:\(ports.http2)"
            }
        guard let url = URL(string: "\(origin)/\(path)") else {
            throw BenchmarkError("\(path) is not a path of a URL")
        }
        return url
    }

    /// The origins of mixed requests.
    var mixedOrigins: [String] { ports.mixed.map { "http://127.0.0.1:\($0)" } }

    /// Starts a server in a folder, calls `body`, and stops the server when `body` returns or throws.
    static func whileRunning<Result>(in folder: URL, _ body: (NginxServer) throws -> Result) throws -> Result {
        let server = try start(in: folder)
        defer { Spawning.end(server.process, with: SIGTERM) }
        return try body(server)
    }

    // Retries, because a port that was free may be taken before nginx opens it.
    private static func start(in folder: URL) throws -> NginxServer {
        for _ in 1...3 {
            let ports = try Ports()
            let process = try Spawning.start(try command(in: folder, ports))
            do {
                if try isUp(process, ports.plain) { return NginxServer(process: process, ports: ports) }
            } catch {
                Spawning.end(process, with: SIGKILL)
                throw error
            }
        }
        throw BenchmarkError("nginx did not start")
    }

    /// Waits until the server listens. Returns false if it has ended instead.
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
    private static func command(in folder: URL, _ ports: Ports) throws -> [String] {
        guard let nginx = Spawning.find("nginx") else {
            throw BenchmarkError("nginx is not installed (on Debian and Ubuntu: the package nginx-light)")
        }
        try Certificate.make(in: folder)
        try tinyBody.write(to: folder.appendingPathComponent("limited"), atomically: false, encoding: .utf8)
        let file = folder.appendingPathComponent("nginx.conf")
        try settings(in: folder, ports).write(to: file, atomically: false, encoding: .utf8)
        let words = [nginx, "-p", folder.path, "-c", file.path, "-e", "stderr"]
        // With setpriv, the kernel stops nginx even if this process is killed.
        return Spawning.find("setpriv").map { [$0, "--pdeathsig", "TERM", "--"] + words } ?? words
    }

    private static func settings(in folder: URL, _ ports: Ports) -> String {
        let temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \"\(folder.path)/\($0)\";" }.joined(separator: "\n    ")
        return """
            daemon off;
            master_process off;
            pid "\(folder.path)/nginx.pid";
            error_log stderr error;
            events { worker_connections 4096; }
            http {
                access_log off;
                log_format length '$request_length';
                limit_req_zone $server_port zone=limited:1m rate=\(limitedRate)r/s;
                limit_req_status 429;
                limit_req_log_level info;
                \(temporaryPaths)
                keepalive_requests 1000000000;
                keepalive_timeout 1h;
                http2_max_concurrent_streams 1024;
                sendfile on;
                ssl_certificate "\(folder.path)/\(Certificate.chainFile)";
                ssl_certificate_key "\(folder.path)/\(Certificate.keyFile)";
                server {
                    listen 127.0.0.1:\(ports.plain) backlog=4096;
                    listen 127.0.0.1:\(ports.tls) backlog=4096 ssl;
                    listen 127.0.0.1:\(ports.http2) backlog=4096 ssl http2;
                    root "\(folder.path)";
                    location = /tiny { return 200 "\(tinyBody)"; }
                    location = /json { default_type application/json; return 200 '\(JSONDocument.large.text)'; }
                    location = /empty { return 200; }
                    location = /limited { limit_req zone=limited burst=20 nodelay; }
                    \(sink(ports, folder))
                }
                server {
                    \(ports.mixed.map { "listen 127.0.0.1:\($0) backlog=4096;" }.joined(separator: "\n        "))
                    location / { default_type application/json; return 200 '\(JSONDocument.small.text)'; }
                }
            }

            """
    }

    /// Returns a location that reads the whole body into a file and only then requests an answer, without the body. A
    /// location that answers directly would answer before the body has arrived.
    private static func sink(_ ports: Ports, _ folder: URL) -> String {
        """
        location = /sink {
            access_log "\(folder.path)/\(sinkLog)" length;
            client_max_body_size 0;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_pass http://127.0.0.1:\(ports.plain)/empty;
        }
        """
    }

    /// The file in the server's folder with one line for each request to `/sink`: the number of bytes read.
    static let sinkLog = "sink.log"
}
