// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The values of environment variables that a line's URL, query or proxy is made of: a result or an error shows a
/// reference in the place of such a value. Other fields of a line show up in neither.
package struct HiddenVariables: Sendable {
    private struct Variable {
        let value: [UInt8]
        let reference: [UInt8]
    }

    /// Shorter values hide nothing from anybody who would try them all.
    private static let leastByteCount = 4

    private let urlAsWritten: String
    private let urlHasVariables: Bool
    /// The longest value first, for one may be a part of another.
    private let variables: [Variable]

    /// Nil when there is nothing to hide, as in most lines.
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
        variables = names.sorted().flatMap { name in
            let value = environment[named: name] ?? ""
            // A message may leave out the fragment of a URL.
            return Set([value, String(value.prefix { $0 != "#" })]).filter { $0.utf8.count >= Self.leastByteCount }
                .map { Variable(value: Array($0.utf8), reference: Array("${env:\(name)}".utf8)) }
        }.sorted { $0.value.count > $1.value.count }
    }

    /// The text with references in the place of values.
    func hide(in text: String) -> String {
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

    /// The error with references in the place of values.
    func hide(in error: NetworkingError) -> NetworkingError {
        var hidden = error
        hidden.message = message(error.code, error.message)
        return hidden
    }

    /// Puts references into the URL and the error of a result, in the place of values.
    func hide(in result: inout ResultLine) {
        result.url = result.url.map(hide)
        guard let error = result.error else { return }
        result.error?.message = message(error.code, error.message)
        result.error?.underlying = error.underlying.map(hide)
    }

    /// Messages about a URL quote pieces of it, each of which may be a piece of a value.
    private func message(_ code: NetworkingError.Code, _ message: String) -> String {
        guard code == .badURL, urlHasVariables else { return hide(in: message) }
        let url = RequestCheck.shown(URLText.withoutUserInfo(urlAsWritten))
        return "the URL \(url) cannot be used with the values of its environment variables"
    }

    private func variable(in bytes: [UInt8], at start: Int) -> (reference: [UInt8], end: Int)? {
        for variable in variables {
            if let end = Self.end(of: variable.value, in: bytes, from: start) { return (variable.reference, end) }
        }
        return nil
    }

    /// Where a value ends that begins at a position, whichever of its bytes are written as escapes.
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
