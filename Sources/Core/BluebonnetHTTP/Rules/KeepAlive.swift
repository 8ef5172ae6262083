// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Parses the `Keep-Alive` field of a response (RFC 2068, 19.7.1).
package enum KeepAlive {
    /// Returns the number of seconds without a request after which the server closes the connection; nil if the server
    /// does not state it.
    ///
    /// - Parameter values: the values of all fields with that name. The shortest time counts.
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

    /// One year. Longer timeouts have the same effect.
    private static let longestTimeout = 31_536_000
}
