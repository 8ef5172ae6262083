// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Splits the text of a shell script into commands and words, as a POSIX shell does before it runs them. Also reads
/// `$'…'`, as browsers write it. Everything that a shell would run or replace is an error.
struct ShellReader {
    private var input: ShellInput
    private var commands: [ShellCommand] = []
    private var words: [ShellCommand.Word] = []
    /// The bytes of the current word; nil between words.
    private var word: [UInt8]?
    private var wordLine = 1

    private init(_ bytes: [UInt8]) { input = ShellInput(bytes) }

    /// Returns the commands of a script up to its end or its first error.
    static func read(_ bytes: [UInt8]) -> (commands: [ShellCommand], error: ConversionError?) {
        var reader = ShellReader(bytes)
        do throws(ConversionError) {
            while let byte = reader.input.next() { try reader.consume(byte) }
            try reader.endCommand()
            return (reader.commands, nil)
        } catch {
            return (reader.commands, error)
        }
    }

    private mutating func consume(_ byte: UInt8) throws(ConversionError) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"): try endWord()
        case UInt8(ascii: "\n"), UInt8(ascii: ";"): try endCommand()
        case UInt8(ascii: "#") where word == nil: input.skipToLineEnd()
        case UInt8(ascii: "'"): append(try input.singleQuoted())
        case UInt8(ascii: "\""): append(try input.doubleQuoted())
        case UInt8(ascii: "\\"):
            if let escaped = input.escaped() { append(escaped) }
        case UInt8(ascii: "$"): append(try input.dollar())
        default:
            if let advice = advice(against: byte) { throw input.error(advice) }
            append([byte])
        }
    }

    private mutating func append(_ bytes: [UInt8]) {
        if word == nil { (word, wordLine) = ([], input.tokenLine) }
        word?.append(contentsOf: bytes)
    }

    private mutating func endWord() throws(ConversionError) {
        guard let bytes = word else { return }
        word = nil
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConversionError(line: wordLine, "a word of the command is not valid UTF-8")
        }
        words.append(ShellCommand.Word(text: text, line: wordLine))
    }

    private mutating func endCommand() throws(ConversionError) {
        try endWord()
        if !words.isEmpty { commands.append(ShellCommand(words: words)) }
        words = []
    }
}

extension ShellReader {
    /// Returns what to do about an unquoted byte with a meaning that this reader refuses; nil for other bytes.
    private func advice(against byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"):
            input.peek == byte
                ? "\"&&\" joins commands: write each command on its own line"
                : "\"&\" outside of quotation marks ends a command: put the URL in quotation marks"
        case UInt8(ascii: "|"): "\"|\" sends the output to another command: only commands of curl can be converted"
        case UInt8(ascii: "<"), UInt8(ascii: ">"):
            "\"<\" and \">\" redirect input and output: write -o FILE or -T FILE"
        case UInt8(ascii: "("), UInt8(ascii: ")"): "\"(\" and \")\" group commands: put them in quotation marks"
        case UInt8(ascii: "`"): ShellInput.substitution
        case UInt8(ascii: "~") where word == nil: "\"~\" is a home folder: write its path"
        case UInt8(ascii: "^") where [UInt8(ascii: "\""), UInt8(ascii: "\n"), nil].contains(input.peek):
            "\"^\" is an escape of the Windows command prompt: copy the command for bash (POSIX)"
        default: nil
        }
    }
}
