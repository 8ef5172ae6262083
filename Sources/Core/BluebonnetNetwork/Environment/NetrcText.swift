// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Parses the text of a `.netrc` file. Pure.
struct NetrcText {
    private var rest: Substring.UnicodeScalarView
    private var line = 1
    /// The name of the text in errors.
    private let name: String

    private init(_ text: String, _ name: String) {
        rest = text[...].unicodeScalars
        if rest.first == "\u{FEFF}" { rest.removeFirst() }  // a byte order mark
        self.name = name
    }

    static func entries(of text: String, in name: String) throws(NetworkingError) -> [Netrc.Entry] {
        var reader = NetrcText(text, name)
        var entries: [Netrc.Entry] = []
        while let word = try reader.keyword() {
            switch word {
            case "machine": entries.append(Netrc.Entry(machine: try reader.value(of: word).lowercased()))
            case "default": entries.append(Netrc.Entry(machine: nil))
            case "macdef":
                _ = try reader.value(of: word)
                reader.skipMacro()
            case "login", "password", "account":
                guard let last = entries.indices.last else {
                    throw reader.error("\(word) appears before the first machine")
                }
                let value = try reader.value(of: word)
                guard word == "account" || !value.unicodeScalars.contains(where: isControl) else {
                    throw reader.error("the \(word) contains a control character")
                }
                if word == "login" { entries[last].login = value }
                if word == "password" { entries[last].password = value }
            default: throw reader.error("unknown keyword; quote a value that contains spaces")
            }
        }
        return entries
    }
}

// MARK: - Words

extension NetrcText {
    private func error(_ text: String) -> NetworkingError {
        NetworkingError(.invalidRequest, "line \(line) of \(name) is invalid: \(text)")
    }

    private mutating func next() -> Unicode.Scalar? {
        guard let scalar = rest.popFirst() else { return nil }
        if scalar == "\n" { line += 1 }
        return scalar
    }

    /// Returns whether a character is a space, tab, line feed, vertical tab, form feed or carriage return.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || ("\t"..."\r").contains(scalar) }

    /// Returns whether a character is a control character, which no credential of HTTP may contain (RFC 7617, section
    /// 2).
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7F }

    private mutating func skipSpace() {
        while let scalar = rest.first, Self.isSpace(scalar) { _ = next() }
    }

    private mutating func skipLine() {
        while let scalar = next(), scalar != "\n" {}
    }

    /// Returns the next word in a position where a comment may precede it, in lower case; nil at the end.
    private mutating func keyword() throws(NetworkingError) -> String? {
        skipSpace()
        while rest.first == "#" {
            skipLine()
            skipSpace()
        }
        return rest.isEmpty ? nil : plainWord().lowercased()
    }

    /// Returns the value after a keyword. The value may begin with `#`, because passwords may.
    private mutating func value(of keyword: String) throws(NetworkingError) -> String {
        skipSpace()
        guard let first = rest.first else { throw error("\(keyword) has no value") }
        return first == "\"" ? try quotedWord() : plainWord()
    }

    private mutating func plainWord() -> String {
        var word = String.UnicodeScalarView()
        while let scalar = rest.first, !Self.isSpace(scalar) {
            word.append(scalar)
            _ = next()
        }
        return String(word)
    }

    /// Parses a word with the escapes `\n`, `\r`, `\t`. A backslash before any other character is dropped.
    private mutating func quotedWord() throws(NetworkingError) -> String {
        _ = next()
        var word = String.UnicodeScalarView()
        while let scalar = rest.first, scalar != "\n" {
            _ = next()
            if scalar == "\"" { return String(word) }
            guard scalar == "\\" else {
                word.append(scalar)
                continue
            }
            guard let escaped = rest.first, escaped != "\n" else { break }
            _ = next()
            switch escaped {
            case "n": word.append("\n")
            case "r": word.append("\r")
            case "t": word.append("\t")
            default: word.append(escaped)
            }
        }
        throw error("a quotation mark is not closed")
    }

    /// Skips a macro, which ends with an empty line.
    private mutating func skipMacro() {
        skipLine()
        while !rest.isEmpty {
            var isEmpty = true
            while let scalar = next(), scalar != "\n" { if scalar != "\r" { isEmpty = false } }
            if isEmpty { return }
        }
    }
}
