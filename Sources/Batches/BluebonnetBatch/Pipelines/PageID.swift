// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The ids of pages and elements: the id of their line, a slash, and a number or key.
enum PageID {
    /// Returns the id of the line that has the page with an id: `users` for `users/12`. Nil for an id of another form.
    static func line(of id: String) -> String? {
        guard let slash = id.utf8.lastIndex(of: UInt8(ascii: "/")), slash > id.startIndex else { return nil }
        let number = id.utf8[slash...].dropFirst()
        guard !number.isEmpty, number.first != UInt8(ascii: "0"), number.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return String(id[..<slash])
    }

    /// Returns the ids of the lines to which an operation with this id could belong, the longest first.
    static func possibleLines(of id: String) -> [String] {
        id.utf8.indices.reversed().filter { id.utf8[$0] == UInt8(ascii: "/") }.map { String(id[..<$0]) }
    }
}

extension RequestLineError {
    /// The error of an element with the name of a line.
    static func elementName(_ name: String, of line: Int) -> RequestLineError {
        RequestLineError(
            field: "each.as", message: "\(JSONText.quoted(name)) is the id of line \(line): use another name")
    }

    /// The error of an id that an operation of another line may get.
    static func ambiguous(_ id: String, of line: Int) -> RequestLineError {
        RequestLineError(
            field: "id", message: "\(JSONText.quoted(id)) could be the id of a page or an element of line \(line)")
    }
}
