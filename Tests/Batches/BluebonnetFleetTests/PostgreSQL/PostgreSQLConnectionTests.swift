// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Statements, transactions and their errors.
    @Suite struct PostgreSQLConnectionTests {
        @Test func connectionSurvivesAFailedStatement() async throws {
            let connection = try await StoreFixture().connect()
            let error = #expect(throws: FleetError.self) { try connection.query("SELECT 1/0") }
            #expect(error?.code == .failed && error?.underlying == "22012")
            #expect(error?.message == "the store reported an error: division by zero")
            let other = #expect(throws: FleetError.self) { try connection.query("SELECT $1 + nothing", [.integer(1)]) }
            #expect(other?.underlying == "42703")
            #expect(try connection.query("SELECT $1", [.integer(5)]).integer(0, 0) == 5)
        }

        @Test func transactionThatThrowsLeavesNothing() async throws {
            let fixture = try await StoreFixture()
            let connection = try fixture.connect()
            try connection.query("CREATE TABLE t (n bigint)")
            #expect(throws: FleetError.self) {
                try connection.transaction { () throws(FleetError) in
                    try connection.query("INSERT INTO t VALUES ($1)", [.integer(1)])
                    throw FleetError(.notPossible, "no")
                }
            }
            #expect(try await fixture.number("SELECT count(*) FROM t") == 0)
        }

        @Test func conflictingTransactionsAreRetried() async throws {
            let fixture = try await StoreFixture()
            try fixture.connect().query("CREATE TABLE t (n bigint, c bigint); INSERT INTO t VALUES (0, 0), (1, 0)")
            let gates = [Gate(), Gate()]
            let attempts = try await onThreads(2) { index in
                let connection = try fixture.connect()
                var attempts = 0
                try connection.transaction { () throws(FleetError) in
                    attempts += 1
                    try connection.query("UPDATE t SET c = c + 1 WHERE n = $1", [.integer(index)])
                    gates[index].open()
                    gates[1 - index].waitBlocking()
                    try connection.query("UPDATE t SET c = c + 1 WHERE n = $1", [.integer(1 - index)])
                }
                return attempts
            }
            // The transaction that starts again may conflict with the other once more.
            #expect(attempts.reduce(0, +) > 2, "at least one of the two was undone, and made again")
            #expect(try await fixture.rows("SELECT c FROM t ORDER BY n") == [["2"], ["2"]])
        }

        @Test func refusedCopyReportsWhyAndTheConnectionSurvives() async throws {
            let connection = try await StoreFixture().connect()
            let error = #expect(throws: FleetError.self) {
                try connection.transaction { () throws(FleetError) in
                    try connection.copy("COPY nothing FROM STDIN (FORMAT binary)") { nil }
                }
            }
            #expect(error?.underlying == "42P01", "\(error?.description ?? "")")
            try connection.query("CREATE TABLE t (n integer)")
            let wrong = #expect(throws: FleetError.self) {
                var isFirst = true
                try connection.copy("COPY t FROM STDIN (FORMAT binary)") { () throws(FleetError) in
                    defer { isFirst = false }
                    return isFirst ? Array("no rows at all".utf8) : nil
                }
            }
            #expect(wrong?.code == .failed, "\(wrong?.description ?? "")")
            #expect(try connection.query("SELECT $1", [.integer(5)]).integer(0, 0) == 5)
        }

        @Test func copyWithFailingDataLeavesNothingAndTheConnectionSurvives() async throws {
            let connection = try await StoreFixture().connect()
            try connection.query("CREATE TABLE t (n integer)")
            let failure = FleetError(.notPossible, "no more")
            #expect(throws: failure) {
                var isFirst = true
                try connection.transaction { () throws(FleetError) in
                    try connection.copy("COPY t FROM STDIN (FORMAT binary)") { () throws(FleetError) in
                        guard isFirst else { throw failure }
                        isFirst = false
                        var rows = CopyRows(isFirst: true)
                        rows.begin(columns: 1)
                        rows.integer(7)
                        return rows.bytes
                    }
                }
            }
            #expect(try connection.query("SELECT count(*) FROM t WHERE n > $1", [.integer(0)]).integer(0, 0) == 0)
        }

        @Test func silentServerTimesOut() async throws {
            let fixture = try await StoreFixture()
            let proxy = try await FaultProxy.start(toPort: fixture.server.port)
            let url = fixture.server.tcpURL(database: fixture.database, port: proxy.port)
            let connection = try PostgreSQLConnection(url, name: "test", timeout: .milliseconds(200))
            await proxy.set(.stall)
            let error = #expect(throws: FleetError.self) { try connection.query("SELECT 1") }
            #expect(error == .unreachable("no answer in 0 s"))
            let other = #expect(throws: FleetError.self) {
                try PostgreSQLConnection(url + "?connect_timeout=1", name: "test")
            }
            #expect(other == .unreachable("no connection in 1 s"))
            await proxy.stop()
        }

        @Test func connectionEndedByTheServerIsUnreachable() async throws {
            let connection = try await StoreFixture().connect()
            let error = #expect(throws: FleetError.self) {
                try connection.query("SELECT pg_terminate_backend(pg_backend_pid())")
            }
            #expect(error?.code == .unreachable)
            #expect(throws: FleetError.self) { try connection.query("SELECT 1") }
        }

        @Test func notificationsAndADescriptorWakeTheListener() async throws {
            let fixture = try await StoreFixture()
            let (listener, sender) = (try fixture.connect(), try fixture.connect())
            try FleetNotice.listen(listener)
            try FleetNotice.work.send(sender)
            try FleetNotice.pause.send(sender)
            let limit = ContinuousClock.now + .seconds(30)
            var heard: Set<String> = []
            while heard.count < 2, ContinuousClock.now < limit {
                heard.formUnion(try listener.notifications(until: limit, wake: -1))
            }
            #expect(heard == ["work", "hold"])
            let inbox = WorkerInbox()
            inbox.post(.drain)
            #expect(try listener.notifications(until: .now + .seconds(30), wake: inbox.descriptor).isEmpty)
        }
    }
}

extension StoreTests {
    /// Stores that refuse a connection, and ways to connect.
    @Suite struct StoreRefusalTests {
        private static func error(_ url: String) async -> FleetError? {
            await #expect(throws: FleetError.self) { try await Fleet(store: url).batches() }
        }

        @Test func wrongPasswordUserAndDatabaseAreRefused() async throws {
            let server = try await PostgreSQLServer.shared()
            let address = "127.0.0.1:\(server.port)/postgres"
            for (url, reason) in [
                ("postgresql://bluebonnet:wrong@\(address)", "password authentication failed for user \"bluebonnet\""),
                ("postgresql://bluebonnet@\(address)?passfile=/nowhere", "no password supplied"),
                ("postgresql://nobody:x@\(address)", "password authentication failed for user \"nobody\""),
                (server.unixURL(database: "nowhere"), "database \"nowhere\" does not exist"),
            ] {
                let error = await Self.error(url)
                #expect(error?.code == .refused)
                #expect(error?.message.hasPrefix("the store refused the connection: ") == true)
                #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
                #expect(error?.message.contains(":wrong@") == false)
            }
        }

        @Test(arguments: [
            "postgresql://[::1", "postgresql://a/b?nonsense=1", "a b=c", "postgresql://h/d?sslmode=perhaps",
            "host=127.0.0.1 port=70000",
            "postgresql://h:no/d", "service=nothing-of-that-name", "host=a nonsense=1",
        ])
        func stringsThatNameNoStoreAreRefused(text: String) async throws {
            let error = await Self.error(text)
            #expect(error?.code == .refused, "\(error?.message ?? "")")
        }

        @Test func portWithoutAServerCannotBeReached() async throws {
            let error = await Self.error("postgresql://a:b@127.0.0.1:\(try LoopbackPort.unused())/d")
            #expect(error?.code == .unreachable)
            #expect(error?.message.hasPrefix("the store cannot be reached: ") == true)
            #expect(error?.message.contains("Connection refused") == true)
        }

        @Test func passwordComesFromAPasswordFile() async throws {
            let fixture = try await StoreFixture()
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = try folder.write(
                "passwords", "127.0.0.1:*:*:\(PostgreSQLServer.user):\(PostgreSQLServer.password)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let url = fixture.server.tcpURL(database: fixture.database, hasPassword: false) + "?passfile=\(file)"
            #expect(try await Fleet(store: url).submit([StoreFixture.get("a")], named: "n"))
        }

        @Test func userWithoutPermissionIsRefused() async throws {
            let fixture = try await StoreFixture()
            let role = "guest_\(fixture.database)"
            _ = try await fixture.rows("CREATE ROLE \(role) LOGIN")
            let guest = Fleet(
                store: fixture.url.replacingOccurrences(of: "user=\(PostgreSQLServer.user)", with: "user=\(role)"))
            let first = await #expect(throws: FleetError.self) {
                try await guest.submit([StoreFixture.get("a")], named: "n")
            }
            #expect(first?.code == .refused)
            #expect(
                first?.message
                    == "the store's user lacks a privilege: permission denied for database \(fixture.database)")
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let second = await #expect(throws: FleetError.self) { try await guest.batches() }
            #expect(second?.code == .refused && second?.message.contains("permission denied") == true)
            // With the right to read, the user sees everything and changes nothing.
            _ = try await fixture.rows(
                "GRANT USAGE ON SCHEMA bluebonnet TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA bluebonnet TO \(role)"
            )
            #expect(try await guest.batches().map(\.name) == ["n"])
            let third = await #expect(throws: FleetError.self) { try await guest.cancel("n") }
            #expect(third?.code == .refused)
            // A refusal during a submission is reported as a refusal.
            _ = try await fixture.rows("GRANT INSERT ON bluebonnet.batches TO \(role)")
            let fourth = await #expect(throws: FleetError.self) {
                try await guest.submit([StoreFixture.get("a")], named: "m")
            }
            #expect(fourth?.message == "the store's user lacks a privilege: permission denied for table lines")
        }
    }
}
