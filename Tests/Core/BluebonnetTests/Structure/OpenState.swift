// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Finds the stored variables that other files can write, for each class. Reads only the text.
struct OpenState {
    /// The names of the variables by the name of their class.
    private(set) var variables: [String: [String]] = [:]

    private struct Scope {
        let isClass: Bool
        let name: String
        let depth: Int
    }

    /// - Parameter text: a Swift file.
    init(_ text: String) {
        let lines = String(decoding: SourceText(text).code, as: UTF8.self).split(separator: "\n")
        var (scopes, depth) = ([Scope](), 0)
        for (index, line) in lines.enumerated() {
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "(" && $0 != ")" }.map(
                String.init)
            if let scope = Self.scope(words, depth) {
                scopes.append(scope)
            } else if let scope = scopes.last, scope.isClass, depth == scope.depth + 1,
                let name = Self.openVariable(words, line, next: lines.dropFirst(index + 1).first ?? "")
            {
                variables[scope.name, default: []].append(name)
            }
            depth += line.count { $0 == "{" } - line.count { $0 == "}" }
            while line.contains("}"), let last = scopes.last, depth <= last.depth { scopes.removeLast() }
        }
    }

    private static func scope(_ words: [String], _ depth: Int) -> Scope? {
        let kinds: Set = ["class", "struct", "enum", "protocol", "actor", "extension"]
        guard let index = words.firstIndex(where: kinds.contains), index + 1 < words.count,
            !["func", "var"].contains(words[index + 1])
        else { return nil }
        return Scope(isClass: words[index] == "class", name: words[index + 1], depth: depth)
    }

    /// The name of a stored variable that other files can write; otherwise nil.
    private static func openVariable(_ words: [String], _ line: Substring, next: Substring) -> String? {
        guard let index = words.firstIndex(of: "var"), index + 1 < words.count else { return nil }
        let walls: Set = ["private", "fileprivate", "private(set)", "fileprivate(set)", "static", "class", "override"]
        guard walls.isDisjoint(with: words[..<index]), !words[..<index].contains("let") else { return nil }
        let observers = ["didSet", "willSet"]
        let isComputed =
            line.contains("{") && !line.prefix { $0 != "{" }.contains("=")
            && !observers.contains { line.contains($0) || line.hasSuffix("{") && next.contains($0) }
        return isComputed ? nil : words[index + 1]
    }
}
