// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import CLinux
import Foundation
import Glibc

/// A file that no line of a batch may write.
package struct ReservedPath: Sendable {
    /// The path, absolute or relative to the working directory.
    let path: String
    /// The error message of a line that writes the file, such as "the results are written to this file".
    let meaning: String

    package init(_ path: String, _ meaning: String) { (self.path, self.meaning) = (path, meaning) }
}

/// The output files of the lines of a batch. No two lines may write the same file. Several lines may write into one
/// folder, where each file gets its own name.
///
/// Paths are compared as text, after `.`, `..` and relative paths are resolved. The file system is not consulted,
/// except for devices in `/dev`, so two paths that lead to one file through a link are not detected. A path with
/// references is not known yet, and is not compared.
struct OutputPaths {
    /// The output of a line.
    struct Output {
        fileprivate let key: Key
        /// Whether the path names a folder.
        fileprivate let isFolder: Bool
    }

    /// A path of one file. Paths are equal if their bytes are, as for the file system.
    fileprivate struct Key: Hashable {
        let bytes: [UInt8]

        /// Hashes all bytes at once. An array would hash them one by one.
        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }

        /// Whether the path is a device, such as `/dev/null`, which any number of lines may write to.
        var isDevice: Bool {
            guard bytes.starts(with: "/dev/".utf8) else { return false }
            var file = bluebonnet_file()
            let path = String(decoding: bytes, as: UTF8.self)
            return bluebonnet_look_at_target(AT_FDCWD, path, &file) == 0 && file.kind == S_IFCHR
        }
    }

    private let workingDirectory = FileManager.default.currentDirectoryPath
    private var claims: [Key: (lineNumber: Int, isFolder: Bool)] = [:]
    /// The error messages of the files that no line may write, by path.
    private var reserved: [Key: String] = [:]

    init(reserved: [ReservedPath] = []) {
        for file in reserved {
            let real = FilePath.url(file.path).resolvingSymlinksInPath().path
            for path in [file.path, real] { self.reserved[key(path)] = file.meaning }
        }
    }

    /// Reserves memory for `count` lines.
    mutating func reserveCapacity(_ count: Int) {
        claims.reserveCapacity(count)
    }

    /// Returns the output of a line; nil without an output, if its path is not known yet, or for a device.
    ///
    /// - Throws: an error if another line writes the file, or if no line may write it.
    func output(of line: NumberedLine) throws(RequestLineError) -> Output? {
        guard let output = try namedOutput(of: line) else { return nil }
        if let problem = problem(of: output) { throw problem }
        return output
    }

    /// Returns the output of a line without checking for conflicts.
    func namedOutput(of line: NumberedLine) throws(RequestLineError) -> Output? {
        guard let path = try knownPath(of: line) else { return nil }
        let key = key(path)
        if key.isDevice { return nil }
        return Output(key: key, isFolder: FilePath.namesFolder(path))
    }

    /// Returns the error of an output that conflicts with another line or is reserved; nil without a conflict.
    func problem(of output: Output) -> RequestLineError? {
        if let meaning = reserved[output.key] { return RequestLineError(field: "output", message: meaning) }
        guard let first = claims[output.key], !(first.isFolder && output.isFolder) else { return nil }
        let place = first.isFolder ? "into this folder" : "to this file"
        return RequestLineError(field: "output", message: "line \(first.lineNumber) already writes \(place)")
    }

    /// Records the checked output of a line.
    mutating func claim(_ output: Output, for lineNumber: Int) {
        claims[output.key] = (lineNumber, output.isFolder)
    }

    private func knownPath(of line: NumberedLine) throws(RequestLineError) -> String? {
        guard let output = line.line.output else { return nil }
        let template = try RequestLine.template(output, line.line.elementName, at: .top.member("output"))
        guard let template else { return output }
        guard template.parts.count == 1, case .literal(let path) = template.parts[0] else { return nil }
        return path
    }

    private func key(_ path: String) -> Key {
        let absolute = path.utf8.first == UInt8(ascii: "/") ? path : "\(workingDirectory)/\(path)"
        let bytes = Array(absolute.utf8)
        if Self.isStandardized(bytes) { return Key(bytes: bytes) }
        var names: [ArraySlice<UInt8>] = []
        for name in bytes.split(separator: UInt8(ascii: "/")) where !name.elementsEqual(".".utf8) {
            if name.elementsEqual("..".utf8) { _ = names.popLast() } else { names.append(name) }
        }
        return Key(bytes: names.flatMap { [UInt8(ascii: "/")] + $0 })
    }

    /// Returns whether no name in the path is empty or begins with a dot.
    private static func isStandardized(_ path: [UInt8]) -> Bool {
        var previous = UInt8(ascii: "a")
        for byte in path {
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") { return false }
            previous = byte
        }
        return previous != UInt8(ascii: "/")
    }
}
