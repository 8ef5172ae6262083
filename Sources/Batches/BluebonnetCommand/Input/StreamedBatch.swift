// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// Checks the lines of a stream as they arrive.
struct StreamedBatch {
    private let parser = RequestLineParser()
    private let lines: StreamedLines
    private let rules: LineRules
    private var splitter = LineSplitter()
    private var lineCount = 0
    /// The values of all lines, if they become columns.
    private var columns = ColumnNames()

    /// - Parameters:
    ///   - lines: checks and receives the lines.
    ///   - rules: the fields that the options of the run permit.
    init(_ lines: StreamedLines, _ rules: LineRules = LineRules()) { (self.lines, self.rules) = (lines, rules) }

    /// Reads until the end of the stream, or until the run must stop, and reports each line.
    ///
    /// - Throws: the errors of the first bad line. Earlier lines have been reported.
    mutating func read(
        _ reader: StreamReader, onLine: (StreamedLines.Added) throws(CommandError) -> Void
    ) throws(CommandError) {
        while true {
            switch try Self.next(of: reader) {
            case .bytes(let bytes):
                for line in splitter.add(bytes) { try receive(line, onLine) }
                if splitter.isTooLong { throw tooLong }
            case .end:
                if let line = splitter.finish() { try receive(line, onLine) }
                return
            case .stopped: return
            }
        }
    }

    private mutating func receive(
        _ line: Data, _ onLine: (StreamedLines.Added) throws(CommandError) -> Void
    ) throws(CommandError) {
        lineCount += 1
        if let added = try checked(line) { try onLine(added) }
    }

    /// Returns the checked line; nil for an empty line and for a comment.
    private mutating func checked(_ line: Data) throws(CommandError) -> StreamedLines.Added? {
        do throws(RequestLineError) {
            guard let line = try parser.parse(line: line, number: lineCount) else { return nil }
            do throws(RequestLineError) {
                try rules.check(line.line)
                if rules.hasColumns { try columns.add(line) }
            } catch {
                throw RequestLineError(line: lineCount, field: error.field, message: error.message)
            }
            return try lines.add(line)
        } catch {
            throw .badLines([error])
        }
    }

    private var tooLong: CommandError {
        let limit = "longer than \(splitter.longestLine >> 20) MiB"
        return .badLines([RequestLineError(line: lineCount + 1, message: limit)])
    }

    private static func next(of reader: StreamReader) throws(CommandError) -> StreamReader.Part {
        do throws(SystemError) {
            return try reader.next()
        } catch {
            throw .unusable("cannot read the request lines: \(error)")
        }
    }
}
