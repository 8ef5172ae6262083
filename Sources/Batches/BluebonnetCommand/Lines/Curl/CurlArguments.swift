// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Reads the arguments of a curl command: options with their values, and URLs.
struct CurlArguments {
    /// One option or URL.
    struct Item: Equatable {
        let option: CurlOption
        /// The value; empty for an option without one.
        let value: String
        /// The option as written.
        let name: String
        let line: Int

        func error(_ message: String) -> ConversionError { ConversionError(line: line, "\(name): \(message)") }
    }

    private var rest: ArraySlice<ShellCommand.Word>
    private(set) var items: [Item] = []

    /// - Throws: an error if the command is not curl, or for an option that cannot be converted.
    init(_ command: ShellCommand) throws(ConversionError) {
        rest = command.words[...]
        guard let program = rest.popFirst()?.text, program == "curl" || program.hasSuffix("/curl") else {
            let found = "\"\(command.words[0].text.prefix(40))\""
            throw ConversionError(line: command.line, "expected a command of curl, found \(found)")
        }
        while let word = rest.popFirst() { try read(word) }
    }

    private mutating func read(_ word: ShellCommand.Word) throws(ConversionError) {
        if word.text.hasPrefix("--"), word.text.utf8.count > 2 {
            let name = String(word.text.dropFirst(2))
            try add(CurlOption.kind(of: name), word.text, word.line, value: nil)
        } else if word.text.hasPrefix("-"), word.text.utf8.count > 1, word.text != "--" {
            try readLetters(word)
        } else if word.text != "--" {
            items.append(Item(option: .url, value: word.text, name: "the URL", line: word.line))
        }
    }

    /// Reads `-sSLo file` and `-XPOST`.
    private mutating func readLetters(_ word: ShellCommand.Word) throws(ConversionError) {
        var letters = word.text.dropFirst()
        while let letter = letters.popFirst() {
            let kind = CurlOption.kind(of: letter)
            let takesRest =
                switch kind {
                case .option(let option): option.hasValue
                case .ignored(let hasValue): hasValue
                case .refused, .unknown: false
                }
            let value = takesRest && !letters.isEmpty ? String(letters) : nil
            try add(kind, "-\(letter)", word.line, value: value)
            if takesRest { return }
        }
    }

    /// - Parameter value: the value in the same word; nil if it is the next word.
    private mutating func add(
        _ kind: CurlOption.Kind, _ name: String, _ line: Int, value: String?
    ) throws(ConversionError) {
        switch kind {
        case .option(let option):
            let value = option.hasValue ? try self.value(value, name, line) : ""
            items.append(Item(option: option, value: value, name: name, line: line))
        case .ignored(let hasValue): if hasValue { _ = try self.value(value, name, line) }
        case .refused(let advice):
            throw ConversionError(line: line, "\(name) has no counterpart in a request line: \(advice)")
        case .unknown: throw ConversionError(line: line, Self.unknown(name))
        }
    }

    private mutating func value(_ value: String?, _ name: String, _ line: Int) throws(ConversionError) -> String {
        if let value { return value }
        guard let word = rest.popFirst() else { throw ConversionError(line: line, "\(name) has no value") }
        return word.text
    }

    private static func unknown(_ name: String) -> String {
        let text = "unknown option of curl \(name)"
        guard name.hasPrefix("--") else { return text }
        if name.contains("=") { return text + ": curl has the value in the next argument, without \"=\"" }
        return text + (CurlOption.suggestion(for: String(name.dropFirst(2))).map { ", did you mean --\($0)?" } ?? "")
    }
}
