// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Writes rows of a stream of lines as CSV: the header has the names of all lines, so the rows are kept in a temporary
/// file until the end.
struct SpooledRows: RowSink {
    private var file: EventFile
    private var spool: SpoolFile
    private var names: Set<ByteString> = []

    init(_ file: EventFile) throws(CommandError) {
        self.file = file
        do throws(SystemError) {
            spool = try SpoolFile()
        } catch {
            throw .unusable("cannot create a temporary file for --into: \(error)")
        }
    }

    mutating func begin() { file.begin("") }

    mutating func append(_ rows: [ValueRow]) throws(CommandError) {
        let text = rows.map { row in
            for (name, _) in row.values { names.insert(ByteString(name)) }
            return JSONText.text(of: .array([.string(row.id), .object(row.values)])) + "\n"
        }
        do throws(SystemError) {
            try spool.append(text.joined())
        } catch {
            throw Self.spoolError(error)
        }
    }

    mutating func finish() throws(CommandError) {
        let columns = names.sorted().map(\.string)
        var (file, lines) = (file, LineSplitter())
        file.append(RowText.csvHeader(columns))
        do throws(SystemError) {
            try spool.read { bytes throws(SystemError) in
                let rows = lines.add(bytes).compactMap(Self.row)
                file.append(rows.map { RowText.csv($0, columns) }.joined())
            }
        } catch {
            throw Self.spoolError(error)
        }
        try file.finish()
    }

    private static func row(_ line: Data) -> ValueRow? {
        guard let value = try? JSONValue(parsing: line), let id = value[0]?.string, let values = value[1]?.object else {
            return nil
        }
        return ValueRow(id: id, values: values)
    }

    private static func spoolError(_ error: SystemError) -> CommandError {
        .unusable("cannot use the temporary file of --into: \(error)")
    }
}
