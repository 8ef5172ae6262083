// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetPipelines
internal import Foundation

/// The place of a page or an element in its line.
struct ClaimedPart: Equatable {
    /// The position of the line with the request.
    let line: Int
    /// The number of the page; nil for an element.
    let page: Int?
    /// The change that the page makes in the request.
    let change: Data?
    /// The element.
    let element: Data?
}

extension ClaimedLine {
    /// Whether pages or elements take the place of the line: no request is sent for it.
    func isExpanded(_ line: RequestLine) -> Bool {
        guard let pipeline = line.pipeline else { return false }
        if pipeline.each != nil, part == nil { return true }
        return pipeline.paginate != nil && part?.page == nil
    }

    /// The position of the line with the request.
    var linePosition: Int { part?.line ?? position }

    /// Returns the operation of the line.
    func instance(_ line: NumberedLine) -> LineInstance {
        var instance = LineInstance(line)
        instance.id = id
        if let each = line.line.pipeline?.each, let element = part?.element,
            let value = try? JSONValue(parsing: element)
        {
            instance.variables = instance.variables.with(value, as: each.name)
        }
        instance.change = part?.change.flatMap { try? JSONDecoder().decode(PageChange.self, from: $0) }
        return instance
    }
}
