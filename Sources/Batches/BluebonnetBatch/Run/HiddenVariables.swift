// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The values of environment variables in a line's URL, query and proxy. A result or an error shows the references
/// instead of these values. Other fields of a line appear in neither.
package struct HiddenVariables: Sendable {
    private struct Variable {
        let value: [UInt8]
        let reference: [UInt8]
    }

    /// The least length of a hidden value. Shorter values could be guessed by trying them all.
    private static let leastByteCount = 4

    private var urlAsWritten = ""
    private var urlHasVariables = false
    /// The variables, the longest value first, because a value may be a part of another one.
    private let variables: [Variable]

    /// Returns nil if there is nothing to hide, as in most lines.
    init?(of line: RequestLine, _ environment: [String: String]) {
        let mayRefer = line.query != nil || line.proxy != nil || ReferenceTemplate.isNeeded(for: line.url)
        guard mayRefer else { return nil }
        let url = RequestLine(url: line.url)
        var shown = url
        (shown.query, shown.proxy) = (line.query, line.proxy)
        let names = shown.environmentNames
        guard !names.isEmpty else { return nil }
        urlAsWritten = line.url
        urlHasVariables = !url.environmentNames.isEmpty
        variables = Self.variables(names, environment)
    }

    /// Hides the values of all variables that a line and the header fields of every line refer to, for texts that show
    /// more than the URL. Nil if there is nothing to hide.
    init?(ofWhole line: RequestLine, and headers: HeaderFields, _ environment: [String: String]) {
        let others = headers.fields.flatMap { (try? ReferenceTemplate(parsing: $0.value))?.environmentNames ?? [] }
        let names = line.environmentNames.union(others)
        guard !names.isEmpty else { return nil }
        variables = Self.variables(names, environment)
    }

    private static func variables(_ names: Set<String>, _ environment: [String: String]) -> [Variable] {
        names.sorted().flatMap { name in
            let value = environment[named: name] ?? ""
            // A message may omit the fragment of a URL.
            return Set([value, String(value.prefix { $0 != "#" })]).filter { $0.utf8.count >= leastByteCount }
                .map { Variable(value: Array($0.utf8), reference: Array("${env:\(name)}".utf8)) }
        }.sorted { $0.value.count > $1.value.count }
    }

    /// Returns the text with values replaced by their references.
    package func hide(in text: String) -> String {
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if let (reference, end) = variable(in: bytes, at: position) {
                shown += reference
                position = end
            } else {
                shown.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns the error with values in its message replaced by their references.
    func hide(in error: NetworkingError) -> NetworkingError {
        var hidden = error
        hidden.message = message(error.code, error.message)
        return hidden
    }

    /// Replaces values in the URL and the error of a result by their references.
    func hide(in result: inout ResultLine) {
        result.url = result.url.map(hide)
        guard let error = result.error else { return }
        result.error?.message = message(error.code, error.message)
        result.error?.underlying = error.underlying.map(hide)
    }

    /// Returns the message to show. A message about a bad URL quotes pieces of it that may be pieces of a value, so it
    /// is replaced as a whole.
    private func message(_ code: NetworkingError.Code, _ message: String) -> String {
        guard code == .badURL, urlHasVariables else { return hide(in: message) }
        let url = RequestCheck.shown(URLText.withoutUserInfo(urlAsWritten))
        return "the URL \(url) is invalid with the values of its environment variables"
    }

    private func variable(in bytes: [UInt8], at start: Int) -> (reference: [UInt8], end: Int)? {
        for variable in variables {
            if let end = Self.end(of: variable.value, in: bytes, from: start) { return (variable.reference, end) }
        }
        return nil
    }

    /// Returns the end of a value that begins at a position, also if any of its bytes are percent-encoded.
    private static func end(of value: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        for byte in value {
            guard position < bytes.count else { return nil }
            if bytes[position] == byte || byte == UInt8(ascii: " ") && bytes[position] == UInt8(ascii: "+") {
                position += 1
            } else if escapedByte(in: bytes, at: position) == byte {
                position += 3
            } else {
                return nil
            }
        }
        return position
    }

    private static func escapedByte(in bytes: [UInt8], at position: Int) -> UInt8? {
        guard bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count else { return nil }
        return UInt8(String(decoding: bytes[(position + 1)...(position + 2)], as: UTF8.self), radix: 16)
    }
}
