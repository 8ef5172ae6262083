// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CPostgreSQL
internal import Foundation
internal import Glibc

/// The reason why a connection failed, parsed from libpq's message (`PQERRORS_VERBOSE`). A value type.
///
/// The text of a server is in the server's language; the code before the text does not depend on the language.
struct ConnectFailure {
    /// Classes of server errors that last until an administrator or the program changes something: authorization (28),
    /// no such database (3D), no permission (42), and values that the server does not know or accept (0A, 22).
    private static let lastingClasses = ["28", "3D", "42", "0A", "22"]
    /// Phrases in libpq's English messages about unusable certificates and keys, and about a server without TLS.
    private static let lastingPhrases = ["certificate", "private key file", "does not support SSL"]

    /// The code of the server's last error (SQLSTATE); nil if no server has answered.
    let code: String?
    /// The message without codes and source locations of the server.
    let text: String

    /// - Parameter secrets: texts that the message must not show.
    init(_ message: String, hiding secrets: [String] = []) {
        var (code, parts): (String?, [String]) = (nil, [])
        for line in message.split(separator: "\n") where !line.hasPrefix("LOCATION:  ") {
            var line = line.trimmingCharacters(in: .whitespaces)
            if let found = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) {
                code = String(found.1)
                line.replaceSubrange(found.range, with: ":  ")
            }
            parts.append(line)
        }
        self.code = code
        text = secrets.reduce(parts.joined(separator: "; ")) { $0.replacingOccurrences(of: $1, with: "…") }
    }

    /// Whether another attempt would fail in the same way.
    ///
    /// - Parameter wasTried: whether libpq attempted a connection to a server at all.
    func isLasting(wasTried: Bool) -> Bool {
        guard wasTried else { return true }
        if let code { return Self.lastingClasses.contains { code.hasPrefix($0) } }
        return Self.lastingPhrases.contains { text.contains($0) }
    }
}

/// Makes the messages of libpq English, whatever the program's locale.
enum PlainMessages {
    static func with<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let plain = newlocale(1 << LC_MESSAGES, "C", nil) else { return try body() }
        let former = uselocale(plain)
        defer {
            uselocale(former)
            freelocale(plain)
        }
        return try body()
    }
}
