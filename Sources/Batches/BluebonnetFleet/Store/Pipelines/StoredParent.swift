// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetPipelines
internal import Foundation

/// The pages or elements of a line so far. A value type.
struct ParentState: Codable, Equatable {
    /// How the line with the elements has ended without success.
    struct Source: Codable, Equatable {
        let outcome: ResultLine.Outcome
        let reason: String?
    }

    /// Whether the pages were begun, or elements may be added.
    var hasBegun = false
    var pages = PageSequence.Course()
    var elements = ElementSequence.Course()
    /// How the pages have ended without success, and why.
    var outcome: ResultLine.Outcome?
    var failure: ResultLine.Failure?
    var source: Source?

    init(hasBegun: Bool = false) { self.hasBegun = hasBegun }

    /// Encodes the state for the store.
    func encoded() -> Data {
        guard let data = try? JSONEncoder().encode(self) else { preconditionFailure("the state cannot be encoded") }
        return data
    }

    /// Decodes a state from the store.
    init(stored text: Data) throws(FleetError) {
        do {
            self = try JSONDecoder().decode(ParentState.self, from: text)
        } catch {
            throw FleetError(.failed, "the state of a line cannot be read", underlying: String(describing: error))
        }
    }
}

/// A line with pages or elements, or an element with pages.
struct StoredParent {
    let position: Int
    let id: String
    /// The position of the line with the request.
    let line: Int
    let pipeline: RequestLine.Pipeline
    /// The element, if the parent is one.
    let element: Data?
    /// The kind of the requests for pages and elements.
    let kind: FleetLine.Kind
    /// Whether responses of pages and elements are read later.
    let isRead: Bool
    var state: ParentState

    /// The elements of the line; nil for a line or an element with pages.
    var each: RequestLine.FanOut? { position == line ? pipeline.each : nil }
}

extension RequestLine {
    /// Reads a line that was checked when it was submitted.
    init(stored text: Data) throws(FleetError) {
        guard let line = try? RequestLineParser().parse(line: text, number: 1)?.line else {
            throw FleetError(.failed, "a line cannot be read, perhaps submitted by a newer version")
        }
        self = line
    }
}

extension ResultWriting {
    /// Reads lines with pages or elements. An element becomes a parent when its pages begin.
    func parents(_ batch: Int, at positions: [Int]) throws(FleetError) -> [StoredParent] {
        guard !positions.isEmpty else { return [] }
        let rows = try connection.query(
            """
            SELECT l.position, l.id, coalesce(p.line, l.position), coalesce(t.line, l.line), p.element,
                   s.kind, s.is_read, s.state
            FROM bluebonnet.parents s
            JOIN bluebonnet.lines l ON l.batch = $1 AND l.position = s.position
            LEFT JOIN bluebonnet.parts p ON p.batch = $1 AND p.position = s.position
            LEFT JOIN bluebonnet.lines t ON t.batch = $1 AND t.position = p.line
            WHERE s.batch = $1 AND s.position = ANY ($2) ORDER BY s.position
            """, [.integer(batch), .integers(positions)])
        var parents: [StoredParent] = []
        for row in 0..<rows.count {
            let line = try RequestLine(stored: rows.bytes(row, 3))
            parents.append(
                StoredParent(
                    position: rows.integer(row, 0), id: rows.text(row, 1), line: rows.integer(row, 2),
                    pipeline: line.pipeline ?? RequestLine.Pipeline(), element: rows.optionalBytes(row, 4),
                    kind: FleetLine.Kind(rawValue: rows.integer(row, 5)) ?? .unsafe, isRead: rows.bool(row, 6),
                    state: try ParentState(stored: rows.bytes(row, 7))))
        }
        return parents
    }

    /// Returns the results of ended lines.
    func results(_ batch: Int, at positions: [Int]) throws(FleetError) -> [Int: ResultLine] {
        guard !positions.isEmpty else { return [:] }
        let rows = try connection.query(
            "SELECT position, line FROM bluebonnet.results WHERE batch = $1 AND position = ANY ($2)",
            [.integer(batch), .integers(positions)])
        var results: [Int: ResultLine] = [:]
        for row in 0..<rows.count {
            results[rows.integer(row, 0)] = try? JSONDecoder().decode(ResultLine.self, from: rows.bytes(row, 1))
        }
        return results
    }
}
