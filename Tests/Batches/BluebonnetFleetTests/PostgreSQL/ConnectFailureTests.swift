// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

@testable import BluebonnetFleet

/// Which connection failures are lasting, in any language of the server.
@Suite struct ConnectFailureTests {
    private static let place = #"connection to server at "127.0.0.1", port 5432 failed: "#

    @Test(arguments: [
        ("28P01", true), ("28000", true), ("3D000", true), ("42501", true), ("57P03", false), ("53300", false),
        ("57P01", false), ("08006", false), ("XX000", false), ("58030", false),
    ])
    func serverCodeDecidesWhateverTheMessage(code: String, isLasting: Bool) {
        let message = Self.place + "FATAL:  \(code): Datei »certificate« existiert nicht\nLOCATION:  f, a.c:1\n"
        let failure = ConnectFailure(message)
        #expect(failure.code == code)
        #expect(failure.text == Self.place + "FATAL:  Datei »certificate« existiert nicht")
        #expect(failure.isLasting(wasTried: true) == isLasting)
    }

    @Test func lastServerOfSeveralCounts() {
        let message = """
            connection to server at "a" failed: FATAL:  57P03: the database system is starting up
            LOCATION:  ProcessStartupPacket, postmaster.c:2410
            connection to server at "b" failed: FATAL:  28P01: no
            HINT:  look
            """
        let failure = ConnectFailure(message)
        #expect(failure.code == "28P01" && failure.isLasting(wasTried: true))
        #expect(
            failure.text
                == #"connection to server at "a" failed: FATAL:  the database system is starting up; "#
                + #"connection to server at "b" failed: FATAL:  no; HINT:  look"#)
    }

    @Test(arguments: [
        (#"SSL error: certificate verify failed"#, true),
        (#"server certificate for "a" does not match host name "b""#, true),
        ("server does not support SSL, but SSL was required", true),
        ("Connection refused", false),
        (#"could not translate host name "a" to address: Name or service not known"#, false),
        ("SSL SYSCALL error: EOF detected", false), ("server closed the connection unexpectedly", false),
    ])
    func withoutACodeOnlyTrustErrorsAreLasting(message: String, isLasting: Bool) {
        let failure = ConnectFailure(Self.place + message)
        #expect(failure.code == nil && failure.isLasting(wasTried: true) == isLasting)
        #expect(failure.isLasting(wasTried: false), "nobody was asked: the parameters make no sense")
    }

    @Test func secretsAreHidden() {
        let failure = ConnectFailure("no host s3cret.example.com", hiding: ["s3cret", "other"])
        #expect(failure.text == "no host ….example.com")
    }

    // MARK: With a server that answers in German

    @Test(arguments: [
        ("28P01", "Passwort-Authentifizierung für Benutzer »a« fehlgeschlagen", FleetError.Code.refused),
        ("3D000", "Datenbank »d« existiert nicht", .refused), ("57P03", "das Datenbanksystem startet", .unreachable),
        ("53300", "tut mir leid, schon zu viele Verbindungen", .unreachable),
    ])
    func serverOfAnotherLanguageIsUnderstood(code: String, message: String, expected: FleetError.Code) async throws {
        let server = try RefusingServer(fields: ["SFATAL", "VFATAL", "C\(code)", "M\(message)", "FX.c", "L1", "Rf"])
        let url = "postgresql://a:b@127.0.0.1:\(server.port)/d?sslmode=disable&gssencmode=disable"
        let error = await #expect(throws: FleetError.self) { try await Fleet(store: url).batches() }
        server.close()
        #expect(error?.code == expected, "\(error?.description ?? "")")
        #expect(error?.message.hasSuffix("FATAL:  \(message)") == true, "\(error?.message ?? "")")
    }
}

/// A server that refuses every connection with an error of PostgreSQL's protocol.
private final class RefusingServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init(fields: [String]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRINUSE) }
        descriptor = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        let body = fields.flatMap { field -> [UInt8] in Array(field.utf8) + [0] } + [0]
        let answer = Array("E".utf8) + withUnsafeBytes(of: Int32(body.count + 4).bigEndian) { Array($0) } + body
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }  // the listener was closed
                var packet = [UInt8](repeating: 0, count: 1_024)
                _ = recv(client, &packet, packet.count, 0)
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
                Glibc.close(client)
            }
        }
    }

    /// Stops accepting connections.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}
