// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What the `Keep-Alive` field of a response says of its connection (RFC 2068, 19.7.1).
package enum KeepAlive {
    /// After so many seconds without a request the server closes the connection; nil when it does not say.
    ///
    /// - Parameter values: those of all fields with that name. The shortest time counts.
    package static func timeout(_ values: [String]) -> Int? {
        let seconds = ResponseHead.list(values).compactMap { parameter -> Int? in
            let parts = parameter.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, FieldSyntax.trimmed(parts[0]).elementsEqual("timeout".utf8) else { return nil }
            let number = FieldSyntax.trimmed(parts[1])
            guard FieldSyntax.isNumber(number) else { return nil }
            return Int(String(Substring(number))).map { min($0, longestTimeout) } ?? longestTimeout
        }
        return seconds.min()
    }

    /// A year: longer ones mean the same.
    private static let longestTimeout = 31_536_000
}
