// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Finds which folder of a source tree uses which, by the names of types declared at the top level of files.
///
/// Reads only the text: a member used without its type's name is not found.
struct SourceTree {
    /// A use of another folder's types.
    struct Arrow: Hashable, Comparable, CustomStringConvertible {
        let from: String
        let to: String
        var description: String { "\(from) -> \(to)" }
        static func < (a: Arrow, b: Arrow) -> Bool { (a.from, a.to) < (b.from, b.to) }
    }

    /// Each file's path, with the paths of the files whose types it names.
    let uses: [String: Set<String>]
    private let names: [String: [String: Set<String>]]

    /// - Parameter files: texts of Swift files by their paths.
    init(_ files: [String: String]) {
        let codes = files.mapValues { SourceText($0).code }
        var owners: [String: [String]] = [:]
        for (path, code) in codes {
            for name in SourceText.declaredNames(in: code) { owners[name, default: []].append(path) }
        }
        let single = owners.compactMapValues { $0.count == 1 ? $0[0] : nil }
        var found: [String: [String: Set<String>]] = [:]
        for (path, code) in codes {
            for name in SourceText.words(in: code) {
                guard let owner = single[name], owner != path else { continue }
                found[path, default: [:]][owner, default: []].insert(name)
            }
        }
        names = found
        uses = files.mapValues { _ in [] }.merging(found.mapValues { Set($0.keys) }) { $1 }
    }

    /// The folder that a file counts for: its module, or a folder of a module that has folders.
    ///
    /// - Parameter path: relative to the package's root, including the folder above the module:
    ///   `Sources/Core/Bluebonnet/…`.
    static func folder(_ path: String) -> String {
        let parts = path.split(separator: "/").dropFirst(2)
        let modules = [
            "Bluebonnet", "BluebonnetBatch", "BluebonnetFleet", "BluebonnetHTTP", "BluebonnetNetwork",
            "BluebonnetTestServer", "BluebonnetTesting",
        ]
        let hasFolders = parts.first.map { modules.contains(String($0)) } == true
        let depth = hasFolders && parts.count > 2 ? 2 : 1
        return parts.prefix(depth).joined(separator: "/")
    }

    /// The arrows between folders, each with the types used.
    var arrows: [Arrow: Set<String>] {
        var arrows: [Arrow: Set<String>] = [:]
        for (path, targets) in names {
            for (target, types) in targets where Self.folder(path) != Self.folder(target) {
                arrows[Arrow(from: Self.folder(path), to: Self.folder(target)), default: []].formUnion(types)
            }
        }
        return arrows
    }

    /// The largest set of nodes that all reach each other; empty if there is no cycle.
    static func largestCircle(_ edges: [String: Set<String>]) -> Set<String> {
        let reach = edges.mapValues { reachable(from: $0, edges) }
        let circles = reach.map { node, nodes in nodes.filter { reach[$0]?.contains(node) == true } }
        return circles.max { $0.count < $1.count } ?? []
    }

    private static func reachable(from start: Set<String>, _ edges: [String: Set<String>]) -> Set<String> {
        var (found, rest) = (start, Array(start))
        while let node = rest.popLast() {
            for next in edges[node] ?? [] where found.insert(next).inserted { rest.append(next) }
        }
        return found
    }
}

/// A Swift file's text, reduced for checks of the structure.
struct SourceText {
    /// The text without comments and string literals.
    let code: [UInt8]

    init(_ text: String) {
        var (code, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.first {
            // Every run reads two megabytes, so bytes that cannot begin a comment or a string are copied in one step.
            if !Self.isBeginning(byte) {
                let end = rest.firstIndex(where: Self.isBeginning) ?? rest.endIndex
                code += rest[..<end]
                rest = rest[end...]
            } else if rest.starts(with: "//".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                rest = Self.rest(rest.dropFirst(2), behind: "*/")
            } else if rest.starts(with: "\"\"\"".utf8) {
                rest = Self.rest(rest.dropFirst(3), behind: "\"\"\"")
            } else if rest.starts(with: "#\"".utf8) {
                rest = Self.rest(rest.dropFirst(2), behind: "\"#")
            } else if byte == UInt8(ascii: "\"") {
                rest = Self.restBehindString(rest.dropFirst())
            } else {
                code.append(byte)
                rest = rest.dropFirst()
            }
        }
        self.code = code
    }

    /// Whether a comment or a string may begin.
    private static func isBeginning(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#")
    }

    private static func rest(_ bytes: ArraySlice<UInt8>, behind end: String) -> ArraySlice<UInt8> {
        var bytes = bytes
        while !bytes.isEmpty, !bytes.starts(with: end.utf8) { bytes = bytes.dropFirst() }
        return bytes.dropFirst(end.utf8.count)
    }

    private static func restBehindString(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let byte = bytes.first, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
            bytes = bytes.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        return bytes.dropFirst()
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || (byte >= 0x30 && byte <= 0x39)
    }

    /// The words that begin with a capital letter, as type names do.
    static func words(in code: [UInt8]) -> Set<String> {
        let words = code.split { !isWordByte($0) }.filter { $0.first.map { (0x41...0x5A).contains($0) } == true }
        return Set(words.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The types declared at the start of a line.
    static func declaredNames(in code: [UInt8]) -> Set<String> {
        let kinds: Set = ["class", "struct", "enum", "protocol", "actor", "typealias"]
        let modifiers: Set = ["public", "package", "internal", "final", "indirect", "open"]
        var names: Set<String> = []
        for line in code.split(separator: UInt8(ascii: "\n")) {
            guard let first = line.first, isWordByte(first) || first == UInt8(ascii: "@") else { continue }
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
                .drop { modifiers.contains(String($0)) || $0.hasPrefix("@") }
            guard let kind = words.first, kinds.contains(String(kind)), let name = words.dropFirst().first else {
                continue
            }
            names.insert(String(decoding: name.utf8.prefix { isWordByte($0) }, as: UTF8.self))
        }
        return names
    }
}
