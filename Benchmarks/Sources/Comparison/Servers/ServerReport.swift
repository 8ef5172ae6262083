// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The requests that arrived at a server.
package struct ServerReport: Sendable {
    package var connectionCount = 0
    /// The requests whose heads arrived, in order of arrival.
    package var requests: [Request] = []

    package init() {}

    /// One request. Over HTTP/2, the method and the target are `*`.
    package struct Request: Sendable {
        package let method: String
        package let target: String
        /// The lines of the head as received, without their ends.
        package let lines: [String]
        /// The body, at most the first 128 KiB.
        package var body: [UInt8] = []

        package init(method: String, target: String, lines: [String]) {
            (self.method, self.target, self.lines) = (method, target, lines)
        }

        /// The target without its query.
        package var path: String { String(target.prefix { $0 != "?" }) }

        /// Returns the value of a field; nil if the request lacks it.
        package func value(of name: String) -> String? {
            let line = lines.dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            return line.map { line in
                let value = line.dropFirst(name.count + 1).drop { $0 == " " }
                return String(value)
            }
        }
    }
}
