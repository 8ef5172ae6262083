// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The origins and ports of the servers of a case.
package struct Origins: Sendable {
    private let places: [(origin: String, port: Int)]

    /// - Parameter places: the scheme and host, and the port of each server.
    package init(_ places: [(origin: String, port: Int)]) { self.places = places }

    /// Returns a text in which placeholders such as `{0}` and `{0:port}` are replaced.
    package func fill(_ text: String) -> String {
        guard text.contains("{") else { return text }
        return places.enumerated().reduce(text) { text, place in
            text.replacing("{\(place.offset)}", with: "\(place.element.origin):\(place.element.port)")
                .replacing("{\(place.offset):port}", with: "\(place.element.port)")
        }
    }
}
