// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetTestServer
import Foundation
import Glibc
import Synchronization

/// A separate PostgreSQL in a temporary folder. It listens on a Unix socket there, which asks for no password, and on
/// a port of 127.0.0.1, which asks for `password`.
///
/// It runs as an ordinary user, even if the tests run as root, and ends with the test process, however that process
/// ends. Tests that only need a database share one server:
///
/// ```swift
/// let server = try await PostgreSQLServer.shared()
/// let url = server.unixURL(database: try await server.createDatabase())
/// ```
public final class PostgreSQLServer: Sendable {
    /// A way to stop the server.
    public enum StopMode: Sendable {
        /// Ends all sessions, writes all data to its place, then stops.
        case fast
        /// Ends at once, as in a power failure. The next start recovers committed data from the log.
        case immediate

        fileprivate var signal: Int32 { self == .fast ? SIGINT : SIGQUIT }
    }

    /// Whether PostgreSQL is installed. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide("PostgreSQL", missing: PostgreSQLInstallation.obstacle)

    /// The user that owns all databases.
    public static let user = "bluebonnet"
    /// The password of that user.
    public static let password = "blue-bonnet-7"

    /// The port of 127.0.0.1.
    public let port: Int

    private static let sharedStart = Task { try await start() }
    private static let databaseCount = Atomic<Int>(0)

    private let installation: PostgreSQLInstallation
    private let watchdog: Watchdog

    private init(_ installation: PostgreSQLInstallation, _ watchdog: Watchdog, port: Int) {
        (self.installation, self.watchdog, self.port) = (installation, watchdog, port)
    }

    /// The server that the tests of this process share, with default settings. Tests must not stop it.
    public static func shared() async throws -> PostgreSQLServer { try await sharedStart.value }

    /// Creates a server and waits until it answers queries.
    ///
    /// - Parameters:
    ///   - settings: parameters of the server, by name, such as `["shared_buffers": "16MB", "fsync": "off"]`. Other
    ///     parameters have PostgreSQL's defaults: `fsync` is on.
    ///   - certificate: the server's certificate for TLS on the port. Default: none, and the port has no TLS.
    public static func start(
        settings: [String: String] = [:], tls certificate: TestCertificate? = nil
    ) async throws -> PostgreSQLServer {
        let installation = try PostgreSQLInstallation.find()
        var log = ""
        // Another program may take the free port before the server does.
        for _ in 1...3 {
            let server = try make(installation, settings, certificate)
            await server.waitUntilSettled()
            if server.isReady { return server }
            log = server.log
            await server.remove()
        }
        throw TestServerError("PostgreSQL did not come up:\n\(log)")
    }

    /// The server's log since the server was created.
    public var log: String { watchdog.output }

    /// The folder with the Unix socket.
    public var socketFolder: String { watchdog.folder.url.path }

    /// Stops the server and waits until all its processes are gone. The data stays for `startAgain()`.
    public func stop(_ mode: StopMode) async throws {
        guard let postmaster, !hasStopped else { throw TestServerError("PostgreSQL is not running:\n\(log)") }
        kill(postmaster, mode.signal)
        await Polling.lastValue(of: hasStopped, within: patience) { $0 }
        guard hasStopped else { throw TestServerError("PostgreSQL did not stop:\n\(log)") }
    }

    /// Starts a stopped server on the same port and socket, and waits until it answers queries.
    public func startAgain() async throws {
        guard hasStopped else { throw TestServerError("PostgreSQL has not been stopped") }
        unlink(watchdog.folder.path("stopped"))
        try watchdog.folder.write("go", "")
        await waitUntilSettled()
        guard isReady else { throw TestServerError("PostgreSQL did not start again:\n\(log)") }
    }

    /// Stops the server and starts it again.
    public func restart(_ mode: StopMode) async throws {
        try await stop(mode)
        try await startAgain()
    }

    /// Ends the server, and waits until the server and its folder are gone.
    public func remove() async { await watchdog.stop() }
}

// MARK: - Databases

extension PostgreSQLServer {
    /// Creates an empty database, and returns its name.
    ///
    /// - Parameters:
    ///   - name: a new name for each call by default.
    ///   - encoding: UTF8 by default.
    public func createDatabase(_ name: String? = nil, encoding: String = "UTF8") async throws -> String {
        let number = Self.databaseCount.add(1, ordering: .relaxed).newValue
        let name = name ?? "test_\(getpid())_\(number)"
        _ = try await query("CREATE DATABASE \"\(name)\" ENCODING '\(encoding)' TEMPLATE template0")
        return name
    }

    /// The connection URI of a database through the Unix socket, without a password.
    public func unixURL(database: String) -> String {
        "postgresql:///\(Self.escaped(database))?host=\(Self.escaped(socketFolder))&port=\(port)&user=\(Self.user)"
    }

    /// The connection URI of a database through TCP.
    ///
    /// - Parameters:
    ///   - port: the port of a proxy in front of the server. Default: the server's own port.
    ///   - hasPassword: whether the URI contains the password. Default: true.
    public func tcpURL(database: String, port: Int? = nil, hasPassword: Bool = true) -> String {
        let user = hasPassword ? "\(Self.user):\(Self.password)" : Self.user
        return "postgresql://\(user)@127.0.0.1:\(port ?? self.port)/\(Self.escaped(database))"
    }

    /// The rows that a statement returns, each as the texts of its columns. NULL is an empty text.
    ///
    /// Runs psql. Several statements are one transaction.
    public func query(_ sql: String, database: String = "postgres") async throws -> [[String]] {
        try await query(sql, at: unixURL(database: database))
    }

    /// Runs the statement through any URI that leads to the server.
    public func query(_ sql: String, at url: String) async throws -> [[String]] {
        let psql = "\(installation.programs)/psql"
        // This waits for the child, so it needs a thread that may block.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try Self.rows(of: sql, at: url, psql: psql) })
            }
        }
    }

    private static func rows(of sql: String, at url: String, psql: String) throws -> [[String]] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let format = ["-F", "\u{1F}", "-R", "\u{1E}", "--tuples-only", "--no-align"]
        let options = ["--no-psqlrc", "--no-password", "--quiet", "--set", "ON_ERROR_STOP=1"]
        let output = folder.path("rows")
        try ChildProcess.run([psql] + options + format + ["-o", output, "-d", url, "-c", sql], in: folder)
        let text = ChildProcess.contents(of: output)
        guard !text.isEmpty else { return [] }
        return text.dropLast().split(separator: "\u{1E}", omittingEmptySubsequences: false)
            .map { $0.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init) }
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~/"))) ?? text
    }
}

// MARK: - The process

extension PostgreSQLServer {
    /// Runs the server, and runs it again on request. SIGTERM ends it for good.
    private static let script = """
        folder=$1 programs=$2; shift 2
        ended= server=
        trap 'ended=1; [ -z "$server" ] || kill -QUIT "$server"' TERM
        "$programs/initdb" -D "$folder/data" --no-sync --username=\(user) --pwfile="$folder/password" \
            --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C >"$folder/initdb" 2>&1 ||
            { cat "$folder/initdb"; : >"$folder/stopped"; exit 1; }
        echo 'host all all all scram-sha-256' >>"$folder/data/pg_hba.conf"
        while [ -z "$ended" ]; do
            "$programs/postgres" -D "$folder/data" "$@" & server=$!
            while kill -0 "$server" 2>/dev/null; do wait "$server"; done
            server=
            : >"$folder/stopped"
            until [ -n "$ended" ] || [ -e "$folder/go" ]; do sleep 0.05; done
            rm -f "$folder/go"
        done
        """

    /// The maximum length of a socket's path (unix(7)).
    private static let maximumSocketPathLength = 107

    private static func make(
        _ installation: PostgreSQLInstallation, _ settings: [String: String], _ certificate: TestCertificate?
    ) throws -> PostgreSQLServer {
        let folder = try TemporaryFolder()
        let port = try LoopbackPort.unused()
        guard folder.path(".s.PGSQL.\(port)").utf8.count <= maximumSocketPathLength else {
            folder.remove()
            throw TestServerError("\(folder.url.path) is too long for the path of a socket: set TMPDIR to another one")
        }
        var parameters = [
            "listen_addresses": "127.0.0.1", "port": "\(port)", "unix_socket_directories": folder.url.path,
        ]
        if let certificate { parameters.merge(try tlsSettings(certificate, folder, installation)) { $1 } }
        parameters.merge(settings) { $1 }
        try folder.write("password", password)
        try installation.handOver(folder.path("password"))
        try installation.handOver(folder.url.path)
        let words = ["/bin/sh", "-c", script, "sh", folder.url.path, installation.programs]
        let options = parameters.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        let watchdog = try Watchdog(installation.command(words + options), in: folder)
        return PostgreSQLServer(installation, watchdog, port: port)
    }

    /// Copies the files, because the server reads them only if it owns them.
    private static func tlsSettings(
        _ certificate: TestCertificate, _ folder: TemporaryFolder, _ installation: PostgreSQLInstallation
    ) throws -> [String: String] {
        let sources = ["ssl_cert_file": try certificate.certificatePath, "ssl_key_file": try certificate.keyPath]
        var settings = ["ssl": "on"]
        for (name, source) in sources {
            let path = try folder.write(name, try Data(contentsOf: URL(fileURLWithPath: source)))
            chmod(path, 0o600)
            try installation.handOver(path)
            settings[name] = path
        }
        return settings
    }

    /// The server's status: the process id in the first line, the startup state in the eighth.
    private var statusLines: [Substring] {
        ChildProcess.contents(of: watchdog.folder.path("data/postmaster.pid"))
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    private var postmaster: pid_t? { statusLines.first.flatMap { pid_t($0) } }

    private var hasStopped: Bool { access(watchdog.folder.path("stopped"), F_OK) == 0 || watchdog.hasExited }

    private var isReady: Bool {
        let lines = statusLines
        guard !hasStopped, lines.count >= 8, let process = pid_t(lines[0]), kill(process, 0) == 0 else { return false }
        return lines[7].trimmingCharacters(in: .whitespaces) == "ready"
    }

    /// Waits until the server answers or has given up.
    private func waitUntilSettled() async {
        await Polling.lastValue(of: isReady || hasStopped, within: .seconds(60)) { $0 }
    }
}

// MARK: - Measurements

extension PostgreSQLServer {
    /// The processor time of all the server's processes since its last start, including processes that have ended, in
    /// steps of 10 ms per process.
    public func processorTime() throws -> Duration {
        guard let postmaster, let own = ProcessTimes(of: postmaster) else {
            throw TestServerError("PostgreSQL is not running:\n\(log)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        let children = names.compactMap { pid_t($0) }.compactMap(ProcessTimes.init).filter { $0.parent == postmaster }
        // The time of a child that ended meanwhile may be missing from both counts.
        guard ProcessTimes(of: postmaster)?.ticksOfEnded == own.ticksOfEnded else { return try processorTime() }
        let ticks = children.reduce(own.ticks + own.ticksOfEnded) { $0 + $1.ticks }
        return .seconds(Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))))
    }
}

/// The processor time of a process, as the kernel reports it (proc(5), `/proc/PID/stat`).
private struct ProcessTimes {
    let parent: pid_t
    /// The process's own time.
    let ticks: Int
    /// The time of its children that have ended.
    let ticksOfEnded: Int

    init?(of process: pid_t) {
        let text = ChildProcess.contents(of: "/proc/\(process)/stat")
        // The name before the last parenthesis may contain anything.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst().map { Int($0) }
        guard fields.count > 14, let parent = fields[1], let user = fields[11], let system = fields[12],
            let endedUser = fields[13], let endedSystem = fields[14]
        else { return nil }
        (self.parent, ticks, ticksOfEnded) = (pid_t(parent), user + system, endedUser + endedSystem)
    }
}
