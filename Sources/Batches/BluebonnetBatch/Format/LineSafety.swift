// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

extension RequestLine {
    /// Safe methods, which ask the server only for a response (RFC 9110, 9.2.1).
    private static let safeMethods: Set = ["GET", "HEAD", "OPTIONS", "TRACE"]

    /// Whether the request asks the server for no change. A method with a reference counts as unsafe.
    package var isSafe: Bool { Self.safeMethods.contains(method) }

    /// Whether the server can recognize a repetition of the request.
    package var hasIdempotencyKey: Bool {
        switch idempotencyKey {
        case .automatic?: true
        case .value(let text)?: !FieldSyntax.isBlank(text)
        case nil: headers.hasIdempotencyKey
        }
    }
}

extension RequestLine.Key {
    /// A new random key, each time the property is read. It stays the same for all requests of a line that gets it.
    static var random: RequestLine.Key { .value(IdempotencyKey.automatic.value) }
}
