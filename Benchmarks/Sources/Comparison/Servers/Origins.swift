// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Where the servers of a case are.
package struct Origins: Sendable {
    private let places: [(origin: String, port: Int)]

    /// - Parameter places: schemes and hosts, and ports.
    package init(_ places: [(origin: String, port: Int)]) { self.places = places }

    /// A text with `{0}`, `{0:port}` and the like replaced.
    package func fill(_ text: String) -> String {
        guard text.contains("{") else { return text }
        return places.enumerated().reduce(text) { text, place in
            text.replacing("{\(place.offset)}", with: "\(place.element.origin):\(place.element.port)")
                .replacing("{\(place.offset):port}", with: "\(place.element.port)")
        }
    }
}
