// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The files that the lines of a batch write, so that no two write the same one.
///
/// Paths are compared as text, after `.`, `..` and relative paths were worked out; the file system is not asked, so
/// two paths that meet through a link pass. A path with references in it is not known yet, and is not compared.
struct OutputPaths {
    private let workingDirectory = FileManager.default.currentDirectoryPath
    /// The numbers of the lines, by the bytes of the path: the file system knows no other equality.
    private var lineNumbers: [[UInt8]: Int] = [:]

    func refuseSecondUse(by line: NumberedLine) throws(RequestLineError) {
        guard let path = try knownPath(of: line), let first = lineNumbers[path] else { return }
        throw RequestLineError(field: "output", message: "line \(first) writes to this file already")
    }

    /// Notes the output of a line that was checked.
    mutating func claim(for line: NumberedLine) {
        guard let path = try? knownPath(of: line) else { return }
        lineNumbers[path] = line.number
    }

    private func knownPath(of line: NumberedLine) throws(RequestLineError) -> [UInt8]? {
        guard let output = line.line.output else { return nil }
        let template = try RequestLine.template(output, at: .top.member("output"))
        guard let template else { return standardized(output) }
        guard template.parts.count == 1, case .literal(let path) = template.parts[0] else { return nil }
        return standardized(path)
    }

    private func standardized(_ path: String) -> [UInt8] {
        let absolute = path.utf8.first == UInt8(ascii: "/") ? path : "\(workingDirectory)/\(path)"
        var names: [Substring.UTF8View] = []
        for name in absolute.utf8.split(separator: UInt8(ascii: "/")) where !name.elementsEqual(".".utf8) {
            if name.elementsEqual("..".utf8) { _ = names.popLast() } else { names.append(name) }
        }
        return Array(names.joined(separator: "/".utf8))
    }
}
