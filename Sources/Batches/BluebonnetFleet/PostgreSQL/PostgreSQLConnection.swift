// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import CPostgreSQL
internal import Foundation
internal import Glibc

/// A connection to PostgreSQL through libpq. Calls block, but have a time limit, so that a server that disappears
/// silently does not block the thread forever. Confined to one thread.
///
/// After an `unreachable` error the connection cannot be used again: create another one.
final class PostgreSQLConnection {
    /// The default time limit of a statement, and of connecting unless the connection string has a `connect_timeout`.
    static let timeout = Duration.seconds(30)

    private let connection: OpaquePointer
    /// The time limit of a statement.
    var timeout: Duration
    /// Whether each transaction may get another session of the server, because of a pooler: then there are neither
    /// notifications nor settings nor prepared statements of a session.
    private(set) var isPooled = false
    /// Whether a setting made transactions read-only when the connection was made, on a server that was no standby.
    private var isReadOnlyByDefault = false
    /// The statements at the beginning of each transaction through a pooler.
    private var localSettings = ""
    /// Receives the duration of each statement that the server has answered; nil without one.
    var onAnswer: ((Duration) -> Void)?
    /// The names of prepared statements, by SQL text.
    private var statements: [String: String] = [:]
    private var parameterBytes: [UInt8] = []
    /// The row of `tallies` for the next change.
    private var tallyKey = TallyKey()
    /// Whether the database's encoding has every character, or is not checked.
    private lazy var storesAnyCharacter = ["UTF8", "SQL_ASCII"].contains(
        PQparameterStatus(connection, "server_encoding").map { String(cString: $0) })

    /// Connects to the store.
    ///
    /// - Parameters:
    ///   - target: a `postgresql://…` URI or a connection string of libpq. libpq takes missing parameters from the
    ///     environment, from the service file and from the password file.
    ///   - name: the application name that the server shows.
    init(_ target: String, name: String, timeout: Duration = PostgreSQLConnection.timeout) throws(FleetError) {
        let (target, pooler) = try StoreTarget.poolerMode(of: target)
        try PlainMessages.with { () throws(FleetError) in try StoreTarget.check(target) }
        let words = Self.words(target, name: name)
        let start = PlainMessages.with { Self.withLists(words) { PQconnectStartParams($0, $1, 1) } }
        guard let connection = start else { throw FleetError.unreachable("no memory for a connection") }
        (self.connection, self.timeout) = (connection, timeout)
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)  // adds the codes of the server's errors
        // `deinit` ends the connection, also when this call throws.
        try PlainMessages.with { () throws(FleetError) in try finishConnecting(words) }
        try beginSession(pooler)
    }

    deinit { PQfinish(connection) }

    /// The connection parameters by keyword.
    private static func words(_ target: String, name: String) -> [(String, String)] {
        [
            // These come first, so that the connection string overrides them.
            ("fallback_application_name", name), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("dbname", target), ("client_encoding", "UTF8"),
        ]
    }

    private static func withLists<Value>(
        _ words: [(String, String)],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let keys = words.map { strdup($0.0) }
        let values = words.map { strdup($0.1) }
        defer { for text in keys + values { free(text) } }
        return body(keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
    }

    private func finishConnecting(_ words: [(String, String)]) throws(FleetError) {
        guard PQstatus(connection) != CONNECTION_BAD else {
            // Either the parameters are invalid, or the attempt has failed at once. A second attempt of libpq shows
            // which.
            let ping = Self.withLists(words + [("connect_timeout", "2")]) { PQpingParams($0, $1, 1) }
            throw connectFailure(wasTried: ping != PQPING_NO_ATTEMPT)
        }
        let limit = Instant.now + connectTimeout
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw connectFailure(wasTried: true) }
            let isReady = wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: limit)
            guard isReady else {
                throw FleetError.unreachable("no connection in \(connectTimeout.components.seconds) s")
            }
            state = PQconnectPoll(connection)
        }
        PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        PQsetnonblocking(connection, 1)
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    /// Finds out whether there is a pooler, and sets the isolation of transactions that the statements rely on.
    private func beginSession(_ pooler: PoolerMode) throws(FleetError) {
        let found = try unnamed(
            """
            SELECT pg_backend_pid(), current_setting('default_transaction_isolation') = 'read committed',
                   current_setting('default_transaction_read_only') = 'on' AND NOT pg_is_in_recovery()
            """, [])
        isReadOnlyByDefault = found.bool(0, 2)
        isPooled =
            switch pooler {
            case .transaction: true
            case .session: false
            // The number from a pooler differs from the number of the server's session.
            case .detected: found.integer(0, 0) != Int(PQbackendPID(connection))
            }
        guard !isPooled, !found.bool(0, 1) else { return }
        try query("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED")
    }

    /// Makes the planner use indexes and keep its plans, whatever it knows about the tables: its statistics are useless
    /// for tables that grow by a million rows within seconds, or that were empty when they were analyzed.
    func forceIndexScans() throws(FleetError) {
        if isPooled {
            localSettings = "; SET LOCAL enable_seqscan = off; SET LOCAL jit = off"
        } else {
            try query("SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan")
        }
    }

    /// The `connect_timeout` of the connection string or the environment, which libpq does not enforce here; otherwise
    /// `timeout`.
    private var connectTimeout: Duration {
        guard let options = PQconninfo(connection) else { return timeout }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if strcmp(keyword, "connect_timeout") == 0, let value = option.pointee.val,
                let seconds = Int(String(cString: value)),
                seconds > 0
            {
                return .seconds(seconds)
            }
            option += 1
        }
        return timeout
    }

    /// An unreachable server may come back; a wrong password or name stays wrong.
    private func connectFailure(wasTried: Bool) -> FleetError {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let failure = ConnectFailure(message, hiding: StoreTarget.secrets(connection))
        guard PQconnectionNeedsPassword(connection) == 1 || failure.isLasting(wasTried: wasTried) else {
            return .unreachable(failure.text)
        }
        return FleetError(.refused, "the store refused the connection: \(failure.text)")
    }

    private var message: String { Self.oneLine(PQerrorMessage(connection)) }

    private static func oneLine(_ text: UnsafePointer<CChar>?) -> String {
        let lines = text.map { String(cString: $0) }?.split(separator: "\n") ?? []
        return lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }
}

@available(*, unavailable)
extension PostgreSQLConnection: Sendable {}

// MARK: - Statements

extension PostgreSQLConnection {
    /// Returns the key of the row of `tallies` for a change by a worker.
    func nextTally(of worker: Int) -> Int { tallyKey.next(worker) }

    /// Returns a JSON text in a form that the database can store.
    func storable(_ json: Data) -> Data { storesAnyCharacter ? json : StoredJSON.ascii(json) }

    /// Executes a statement. A text without parameters may contain several statements; the rows of the last one are
    /// returned.
    @discardableResult
    func query(_ text: String, _ parameters: [PostgreSQLValue] = []) throws(FleetError) -> PostgreSQLResult {
        guard let onAnswer else { return try execute(text, parameters) }
        let start = Instant.now
        let result = try execute(text, parameters)
        onAnswer(Instant.now - start)
        return result
    }

    private func execute(_ text: String, _ parameters: [PostgreSQLValue]) throws(FleetError) -> PostgreSQLResult {
        guard !parameters.isEmpty else {
            try sent(PQsendQuery(connection, text))
            return try lastResult()
        }
        guard !isPooled else {
            guard PQtransactionStatus(connection) == PQTRANS_IDLE else { return try unnamed(text, parameters) }
            return try attempt { () throws(FleetError) in try unnamed(text, parameters) }
        }
        let name = try prepare(text, parameters)
        try withEncoded(parameters) { values, lengths, formats in
            PQsendQueryPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1)
        }
        return try lastResult()
    }

    /// Executes a statement without preparing it.
    private func unnamed(_ text: String, _ parameters: [PostgreSQLValue]) throws(FleetError) -> PostgreSQLResult {
        let types = parameters.map(\.objectID)
        try withEncoded(parameters) { values, lengths, formats in
            PQsendQueryParams(connection, text, Int32(types.count), types, values, lengths, formats, 1)
        }
        return try lastResult()
    }

    /// Begins a transaction.
    func begin() throws(FleetError) { try query("BEGIN ISOLATION LEVEL READ COMMITTED" + localSettings) }

    /// How many times a transaction is attempted while it conflicts with other transactions.
    private static let attemptCount = 8

    /// Runs `work` in a transaction, all or nothing. After a conflict with another transaction, `work` runs again.
    func transaction<Value>(
        attempts: Int = PostgreSQLConnection.attemptCount, _ work: () throws(FleetError) -> Value
    ) throws(FleetError) -> Value {
        for _ in 1..<attempts {
            do throws(FleetError) {
                return try attempt(work)
            } catch {
                guard error.isConflict else { throw error }
            }
        }
        return try attempt(work)
    }

    private func attempt<Value>(_ work: () throws(FleetError) -> Value) throws(FleetError) -> Value {
        try begin()
        do throws(FleetError) {
            let value = try work()
            try query("COMMIT")
            return value
        } catch {
            if error.code != .unreachable { try query("ROLLBACK") }
            throw error
        }
    }

    /// Sends rows with `COPY … FROM STDIN`.
    ///
    /// - Parameter next: returns the next bytes of the data, in the format that the statement names; nil at the end.
    func copy(_ statement: String, _ next: () throws(FleetError) -> [UInt8]?) throws(FleetError) {
        try sent(PQsendQuery(connection, statement))
        guard let result = try nextResult(until: Instant.now + timeout) else { throw lost }
        guard PQresultStatus(result) == PGRES_COPY_IN else {
            let owner = PostgreSQLResult(result)
            while let rest = try nextResult(until: Instant.now + timeout) { PQclear(rest) }
            try check(owner, result)
            preconditionFailure("\(statement) does not take rows")
        }
        PQclear(result)
        while let bytes = try nextOfCopy(next) {
            var outcome = put(bytes)
            while outcome == 0 {
                try flush()
                outcome = put(bytes)
            }
            guard outcome == 1 else { throw lost }
            try flush()
        }
        while PQputCopyEnd(connection, nil) == 0 { try flush() }
        try flush()
        _ = try lastResult()
    }

    /// Returns the next bytes of the data. After an error it ends the `COPY` with a failure, so that the server
    /// discards the rows.
    private func nextOfCopy(_ next: () throws(FleetError) -> [UInt8]?) throws(FleetError) -> [UInt8]? {
        do throws(FleetError) {
            return try next()
        } catch {
            while PQputCopyEnd(connection, "the client cancelled the copy") == 0 { try flush() }
            try flush()
            _ = try? lastResult()
            throw error
        }
    }

    private func put(_ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { raw in
            PQputCopyData(connection, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count))
        }
    }

    private func prepare(_ text: String, _ parameters: [PostgreSQLValue]) throws(FleetError) -> String {
        if let name = statements[text] { return name }
        let name = "s\(statements.count)"
        var types = parameters.map(\.objectID)
        try sent(PQsendPrepare(connection, name, text, Int32(types.count), &types))
        _ = try lastResult()
        statements[text] = name
        return name
    }

    private func withEncoded(
        _ parameters: [PostgreSQLValue],
        _ send: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Int32
    ) throws(FleetError) {
        parameterBytes.removeAll(keepingCapacity: true)
        var ends: [(start: Int, isValue: Bool)] = []
        for parameter in parameters {
            let start = parameterBytes.count
            ends.append((start, parameter.write(to: &parameterBytes)))
            parameterBytes.append(0)  // an empty value needs an address too
        }
        let starts = ends.map(\.start) + [parameterBytes.count]
        let lengths = parameters.indices.map { Int32(starts[$0 + 1] - starts[$0] - 1) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        let status = parameterBytes.withUnsafeBytes { raw in
            let base = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = ends.map { $0.isValue ? base.map { [start = $0.start] in UnsafePointer($0 + start) } : nil }
            return send(values, lengths, formats)
        }
        try sent(status)
    }

    private func sent(_ status: Int32) throws(FleetError) {
        guard status == 1 else { throw lost }
        try flush()
    }

    /// Sends the bytes that libpq has buffered to the server.
    private func flush() throws(FleetError) {
        let limit = Instant.now + timeout
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                guard wait(for: POLLIN | POLLOUT, until: limit) else { throw silent }
                // The server may not read before this client has read.
                guard PQconsumeInput(connection) == 1 else { throw lost }
            default: throw lost
            }
        }
    }

    private func lastResult() throws(FleetError) -> PostgreSQLResult {
        let limit = Instant.now + timeout
        var last: PostgreSQLResult?
        var failure: FleetError?
        while let next = try nextResult(until: limit) {
            let result = PostgreSQLResult(next)
            let isCopy = PQresultStatus(next) == PGRES_COPY_IN
            do throws(FleetError) {
                try check(result, next)
                last = result
            } catch {
                failure = failure ?? error
            }
            if isCopy { throw lost }
        }
        if let failure { throw failure }
        guard PQstatus(connection) == CONNECTION_OK, let last else { throw lost }
        return last
    }

    private func nextResult(until limit: Instant) throws(FleetError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            guard wait(for: POLLIN, until: limit) else { throw silent }
            guard PQconsumeInput(connection) == 1 else { throw lost }
        }
        return PQgetResult(connection)
    }

    private func check(_ owner: PostgreSQLResult, _ result: OpaquePointer) throws(FleetError) {
        defer { withExtendedLifetime(owner) {} }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN, PGRES_EMPTY_QUERY: return
        default: break
        }
        guard let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { throw lost }
        let message = Self.oneLine(PQresultErrorField(result, Int32(UInt8(ascii: "M"))))
        throw FleetError(serverCode: String(cString: code), message, isReadOnlyByDefault: isReadOnlyByDefault)
    }

    private var lost: FleetError { .unreachable(message) }

    private var silent: FleetError {
        FleetError.unreachable("no answer in \(timeout.components.seconds) s")
    }
}

// MARK: - Waiting

extension PostgreSQLConnection {
    /// Waits until the server has sent a notification, until `wake` is readable, or until an instant.
    ///
    /// - Returns: the payloads of the received notifications.
    func notifications(until limit: Instant, wake: Int32) throws(FleetError) -> Set<String> {
        var payloads = receiveNotifications()
        if payloads.isEmpty {
            _ = wait(for: POLLIN, until: limit, wake: wake)
            guard PQconsumeInput(connection) == 1 else { throw lost }
            payloads = receiveNotifications()
        }
        return payloads
    }

    private func receiveNotifications() -> Set<String> {
        var payloads: Set<String> = []
        while let notification = PQnotifies(connection) {
            payloads.insert(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }

    /// Waits for the connection's socket. Returns false after the time limit, or if `wake` became readable first.
    private func wait(for events: Int32, until limit: Instant, wake: Int32 = -1) -> Bool {
        var descriptors = [
            pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let left = limit - Instant.now
            guard left > .zero else { return false }
            let milliseconds = min(Int64(Int32.max), Int64((left / .milliseconds(1)).rounded(.up)))
            let count = poll(&descriptors, 2, Int32(milliseconds))
            if count < 0, errno == EINTR { continue }
            return descriptors[0].revents != 0
        }
    }

    typealias Instant = ContinuousClock.Instant
}
