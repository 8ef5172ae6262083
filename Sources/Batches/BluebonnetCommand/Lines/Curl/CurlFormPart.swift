// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// A value of `-F` or `--form-string` as a part of a form.
struct CurlFormPart {
    let part: RequestLine.Part

    init(_ item: CurlArguments.Item) throws(ConversionError) {
        guard let sign = item.value.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw item.error("expected NAME=VALUE")
        }
        let name = String(item.value[..<sign])
        let value = String(item.value.utf8[sign...].dropFirst()) ?? ""
        if item.option == .formString {
            part = .init(name: name, content: .value(value))
        } else if value.utf8.first == UInt8(ascii: "@") {
            part = .init(name: name, content: try Self.file(Array(value.utf8.dropFirst()), item))
        } else {
            if value.utf8.first == UInt8(ascii: "<") {
                throw item.error("the content of a file as text: write the text, or NAME=@FILE")
            }
            let words = Self.words(Array(value.utf8))
            guard words.count == 1 else {
                throw item.error("a part with text has no type: write --form-string")
            }
            part = .init(name: name, content: .value(words[0]))
        }
    }

    private static func file(
        _ bytes: [UInt8], _ item: CurlArguments.Item
    ) throws(ConversionError) -> RequestLine.Part.Content {
        let words = words(bytes)
        guard words[0] != "-", !words[0].isEmpty else { throw item.error("expected NAME=@FILE") }
        if bytes.first != UInt8(ascii: "\""), words[0].contains(",") {
            throw item.error("several files in one part: write -F for each file, and a path with a comma in quotes")
        }
        var (fileName, contentType): (String?, String?)
        for word in words.dropFirst() {
            let text = word.drop { $0 == " " }
            if text.hasPrefix("filename=") {
                fileName = String(text.dropFirst("filename=".count))
            } else if text.hasPrefix("type=") {
                contentType = String(text.dropFirst("type=".count))
            } else if let type = contentType, !["headers=", "encoder="].contains(where: text.hasPrefix) {
                contentType = type + ";" + word  // a parameter of the type
            } else {
                throw item.error("a part has the options type and filename only, not \(text)")
            }
        }
        return .file(path: words[0], filename: fileName, contentType: contentType)
    }

    /// Splits a value at its semicolons. A word, or the value of an option, may be in double quotes, in which `\"` and
    /// `\\` are escapes.
    private static func words(_ bytes: [UInt8]) -> [String] {
        var words: [[UInt8]] = [[]]
        var (isQuoted, mayBegin) = (false, true)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\""), isQuoted || mayBegin {
                isQuoted.toggle()
                mayBegin = false
            } else if isQuoted, byte == UInt8(ascii: "\\"), let next = rest.first, "\"\\".utf8.contains(next) {
                words[words.count - 1].append(next)
                rest = rest.dropFirst()
            } else if !isQuoted, byte == UInt8(ascii: ";") {
                words.append([])
                mayBegin = true
            } else {
                words[words.count - 1].append(byte)
                mayBegin = !isQuoted && byte == UInt8(ascii: "=") && words.count > 1
            }
        }
        return words.map { String(decoding: $0, as: UTF8.self) }
    }
}
