// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
public import Foundation

/// A request line with its line number in the file.
public struct NumberedLine: Sendable, Hashable {
    /// The number of the line, from 1; empty lines and comments count.
    public var number: Int
    /// The parsed line.
    public var line: RequestLine

    /// Makes a numbered line.
    public init(number: Int, line: RequestLine) {
        self.number = number
        self.line = line
    }

    /// The line's own id, or else its number as text.
    public var id: String { line.id ?? String(number) }
}

/// Parses request lines strictly: an unknown field or value is an error that names the line and the field.
///
/// The parser checks each line by itself; `RequestLineGraph` checks the references between lines. An unusable URL,
/// header value or path is not a parse error: the operation fails instead.
public struct RequestLineParser: Sendable {
    /// Makes a parser; it has no state.
    public init() {}

    /// Parses one line, with or without its line end, or returns nil for an empty line and for a comment, which begins
    /// with `#`.
    ///
    /// Line 1 may start with a byte order mark.
    public func parse(line: Data, number: Int) throws(RequestLineError) -> NumberedLine? {
        try parse(ArraySlice(line), number: number)
    }

    /// Parses all lines of a file, or throws the first error of every bad line. Long files are parsed on all
    /// processors.
    public func parse(file: Data) throws(RequestLineErrors) -> [NumberedLine] {
        let texts = Array(file).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let pieceLength = max(texts.count / (2 * ProcessInfo.processInfo.activeProcessorCount), Self.leastPieceLength)
        let starts = Array(stride(from: 0, to: texts.count, by: pieceLength))
        let pieces = Mutex([Int: Piece]())
        DispatchQueue.concurrentPerform(iterations: starts.count) { index in
            let piece = parse(texts, starts[index]..<min(starts[index] + pieceLength, texts.count))
            pieces.withLock { $0[index] = piece }
        }
        let inOrder = pieces.withLock { pieces in starts.indices.compactMap { pieces[$0] } }
        if let errors = RequestLineErrors(inOrder.flatMap(\.errors)) { throw errors }
        return inOrder.flatMap(\.lines)
    }

    /// The parsed lines of one piece of a file, and the errors of its bad lines.
    private struct Piece {
        var lines: [NumberedLine] = []
        var errors: [RequestLineError] = []
    }

    private func parse(_ texts: [ArraySlice<UInt8>], _ range: Range<Int>) -> Piece {
        var piece = Piece()
        piece.lines.reserveCapacity(range.count)
        for index in range {
            do throws(RequestLineError) {
                if let line = try parse(texts[index], number: index + 1) { piece.lines.append(line) }
            } catch {
                piece.errors.append(error)
            }
        }
        return piece
    }

    func parse(_ bytes: ArraySlice<UInt8>, number: Int) throws(RequestLineError) -> NumberedLine? {
        let hasMark = number == 1 && bytes.starts(with: Self.byteOrderMark)
        let text = hasMark ? bytes.dropFirst(Self.byteOrderMark.count) : bytes
        guard !Self.isWithoutRequest(text) else { return nil }
        do throws(RequestLineError) {
            let value = try Self.value(text)
            return NumberedLine(number: number, line: try RequestLine(StrictField(value: value, path: .top)))
        } catch {
            throw error.numbered(number)
        }
    }
}

// MARK: - Steps

extension RequestLineParser {
    /// The least number of lines that is worth another thread.
    private static let leastPieceLength = 128
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// Returns whether a line has no request: it is blank, or a comment. Comments are not checked, and may contain any
    /// bytes.
    package static func isWithoutRequest(_ text: some Collection<UInt8>) -> Bool {
        text.first == UInt8(ascii: "#") || text.allSatisfy { blanks.contains($0) }
    }

    private static func value(_ text: ArraySlice<UInt8>) throws(RequestLineError) -> JSONValue {
        guard isUTF8(text) else { throw RequestLineError(message: "not valid UTF-8") }
        guard !text.starts(with: byteOrderMark) else {
            throw RequestLineError(message: "a byte order mark is allowed only at the start of the file")
        }
        let parsed: (value: JSONValue, hasRepeatedName: Bool)
        do throws(JSONSyntaxError) {
            parsed = try text.withUnsafeBytes { bytes in
                Result { () throws(JSONSyntaxError) in try JSONParser.parse(bytes) }
            }.get()
        } catch {
            throw malformed(text.prefix(error.offset), error.reason)
        }
        if parsed.hasRepeatedName, let path = FieldScanner.repeatedField(in: text) {
            throw RequestLineError(at: path, "duplicate field")
        }
        return parsed.value
    }

    private static func isUTF8(_ text: ArraySlice<UInt8>) -> Bool {
        let union = text.withUnsafeBufferPointer { bytes in bytes.reduce(0, |) }
        return union < 0x80 || String(validating: text, as: UTF8.self) != nil
    }

    /// Returns the error for text that is valid JSON only up to the end of `prefix`.
    private static func malformed(_ prefix: ArraySlice<UInt8>, _ reason: String) -> RequestLineError {
        let column = String(decoding: prefix, as: UTF8.self).unicodeScalars.count + 1
        return RequestLineError(at: FieldScanner.field(after: prefix), "malformed JSON at column \(column): \(reason)")
    }
}
