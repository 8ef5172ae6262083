// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// Converts a HAR file (HTTP Archive 1.2) to request lines, a line for each entry, in the order of their times.
struct HARConverter: LineConverter {
    private var file = WholeFile()
    private var entries: ArraySlice<HAREntryReader>?

    mutating func append(_ bytes: [UInt8]) { file.append(bytes) }

    mutating func finish() { file.finish() }

    mutating func next() throws(ConversionError) -> Conversion? {
        if entries == nil {
            guard let bytes = try file.removeBytes() else { return nil }
            entries = try Self.entries(of: Data(bytes))[...]
        }
        return try entries?.popFirst().map { entry throws(ConversionError) in try entry.conversion() }
    }

    private static func entries(of data: Data) throws(ConversionError) -> [HAREntryReader] {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: data)
        } catch {
            let line = 1 + data.prefix(error.offset).count { $0 == UInt8(ascii: "\n") }
            throw ConversionError(line: line, "malformed JSON: \(error.reason)")
        }
        guard let values = value["log"]?["entries"]?.array else {
            throw ConversionError(line: 1, "not a HAR file: there is no array log.entries")
        }
        let places = HARPlaces(data, count: values.count)
        var entries: [HAREntryReader] = []
        for (index, value) in values.enumerated() {
            entries.append(try HAREntryReader(value, number: index + 1, line: places.lines[index]))
        }
        // The sort is stable only with the number.
        return entries.sorted { ($0.date, $0.number) < ($1.date, $1.number) }
    }
}
