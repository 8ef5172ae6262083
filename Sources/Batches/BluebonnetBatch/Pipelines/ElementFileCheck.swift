// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

extension RequestLine {
    /// The file with the line's elements; nil without such a file.
    package var elementFile: String? {
        guard case .file(let path)? = boxedPipeline?.value.each?.source else { return nil }
        return path
    }

    /// Checks that the file with the line's elements can be read and, if it is CSV, that it has the columns that the
    /// line names.
    func checkElementFile() throws(RequestLineError) {
        guard let each = boxedPipeline?.value.each, let file = elementFile else { return }
        let place = FieldPath.top.member(Name.each.rawValue)
        let columns: [String]
        do throws(ElementReader.Failure) {
            guard file.lowercased().hasSuffix(".csv") else { return try ElementReader.check(file: file) }
            columns = try ElementReader.columns(ofCSV: file)
        } catch {
            throw RequestLineError(at: place.member("file"), error.message)
        }
        if case .name(let name)? = each.key { try Self.check(name, in: columns, of: file, at: place.member("key")) }
        var line = self
        try line.replaceStrings { text, path throws(RequestLineError) in
            for part in try Self.template(text, each.name, at: path)?.parts ?? [] {
                guard case .variable(each.name, let steps) = part, let column = steps.first else { continue }
                try Self.check(column, in: columns, of: file, at: path)
            }
            return text
        }
    }

    private static func check(
        _ name: String, in columns: [String], of file: String, at place: FieldPath
    ) throws(RequestLineError) {
        guard !columns.contains(where: { FieldSyntax.isSameText($0, name) }) else { return }
        let nearest = SpellingSuggestion.of(name, among: columns)
        let hint = nearest.map { ", did you mean \(JSONText.quoted($0))?" } ?? ""
        throw RequestLineError(at: place, "\(file) has no column \(JSONText.quoted(name))\(hint)")
    }
}
