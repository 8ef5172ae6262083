// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import BluebonnetPipelines
internal import Foundation

/// Names the elements of one line, leaves out those whose keys occurred before, and stores the others slice by slice.
struct ElementSlices {
    private let parent: StoredParent
    /// Whether the elements become lines of the batch at once.
    private let isPlacing: Bool
    private let isCancelled: Bool
    private(set) var sequence: ElementSequence
    /// The number of elements that have become lines and have not ended.
    private(set) var count = 0
    private var slice: [NewPart] = []
    /// The keys of the slice, and the indices of their elements.
    private var keys: [(text: String, index: Int)] = []
    /// The error of the store, which ends the reading.
    private(set) var error: FleetError?

    init(_ parent: StoredParent, _ rule: RequestLine.FanOut, isPlacing: Bool, isCancelled: Bool) {
        (self.parent, self.isPlacing, self.isCancelled) = (parent, isPlacing, isCancelled)
        sequence = ElementSequence(rule, after: parent.state.elements)
    }

    /// Adds an element. Returns false if no further elements are used.
    mutating func add(_ element: JSONValue, to rows: inout PartRows) -> Bool {
        switch sequence.step(element) {
        case .stop: return false
        case .fail(let name, let failure):
            slice.append(NewPart(name: name, element: Data(element.jsonText.utf8), failure: failure))
        case .start(let name, let isKey):
            if name.utf8.contains(0) {
                let reason = "the key of element \(sequence.course.elementCount) contains a NUL byte"
                let failure = ResultLine.Failure(code: .unresolvedReference, message: reason)
                slice.append(NewPart(name: "#\(sequence.course.elementCount)", failure: failure))
            } else {
                if isKey { keys.append((name, slice.count)) }
                slice.append(NewPart(name: name, element: Data(element.jsonText.utf8)))
            }
        }
        return slice.count < PartRows.sliceLength || flush(to: &rows)
    }

    /// Stores the rest. Returns false after an error of the store.
    mutating func flush(to rows: inout PartRows) -> Bool {
        do throws(FleetError) {
            let new = try rows.insertKeys(keys.map(\.text), of: parent.position)
            let repeated = Set(keys.indices.filter { !new.contains($0) }.map { keys[$0].index })
            sequence.course.duplicates += repeated.count
            let parts = slice.indices.filter { !repeated.contains($0) }.map { slice[$0] }
            (slice, keys) = ([], [])
            let isExpanded = parent.pipeline.paginate != nil
            // An element with pages is expanded again, which changes nothing at the server.
            let positions = try rows.insert(parts, of: parent, kind: isExpanded ? .safe : parent.kind)
            if isPlacing { count += try rows.place(positions, isCancelled: isCancelled) }
            return true
        } catch {
            self.error = error
            return false
        }
    }

    mutating func fail(_ error: ElementReader.Failure) {
        sequence.course.failure =
            sequence.course.failure ?? ResultLine.Failure(code: error.code, message: error.message)
    }
}

extension PartWriting {
    /// Adds the elements of a response to the lines that use them at once.
    ///
    /// - Parameter line: the position of the line with the request, for a page or an element.
    /// - Returns: the number of added elements for each line.
    mutating func feed(_ source: ReferenceSource, of position: Int, _ line: Int?) throws(FleetError) -> [Int: Int] {
        let found = try connection.query(
            """
            SELECT r.reader, l.id, t.line FROM bluebonnet.readers r
            JOIN bluebonnet.lines l ON l.batch = $1 AND l.position = $3
            JOIN bluebonnet.lines t ON t.batch = $1 AND t.position = $2
            WHERE r.batch = $1 AND r.source = $2 AND r.is_early ORDER BY r.reader
            """, [.integer(batch), .integer(line ?? position), .integer(position)])
        var counts: [Int: Int] = [:]
        for row in 0..<found.count {
            guard let reader = try parent(found.integer(row, 0)) else { continue }
            let rule = try RequestLine(stored: found.bytes(row, 2)).pipeline?.paginate
            counts[reader.position] = try feed(source, of: found.text(row, 1), items: rule?.itemPath, to: reader)
        }
        return counts
    }

    /// Adds the elements of a response to a line.
    ///
    /// - Parameter items: the path of the elements, if the line does not name one.
    /// - Returns: the number of added elements that have not ended.
    mutating func feed(
        _ source: ReferenceSource, of id: String, items: JSONPath?, to reader: StoredParent
    ) throws(FleetError) -> Int {
        guard let rule = reader.each, reader.state.elements.failure == nil else { return 0 }
        var slices = ElementSlices(reader, rule, isPlacing: true, isCancelled: isCancelled)
        do throws(ElementReader.Failure) {
            try ElementReader.read(source, of: id, at: rule.items ?? items ?? .elements) { element in
                slices.add(element, to: &rows)
            }
        } catch {
            slices.fail(error)
        }
        if slices.error == nil { _ = slices.flush(to: &rows) }
        if let error = slices.error { throw error }
        if slices.count > 0 { isReady = true }
        var state = reader.state
        state.elements = slices.sequence.course
        set(state, of: reader)
        return slices.count
    }
}
