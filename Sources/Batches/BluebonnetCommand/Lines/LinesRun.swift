// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Converts a file, or standard input, to standard output.
struct LinesRun {
    /// The number of bytes that are collected before they are written.
    private static let pieceByteCount = 64 << 10

    /// The file as messages name it.
    private let name: String
    private let input: FileDescriptor
    /// Waits for a pipe, which may have no writer yet; nil for a file.
    private let reader: StreamReader?
    private var waiting: [UInt8] = []

    /// - Parameters:
    ///   - file: the path; nil and "-" are standard input.
    ///   - content: what is in the file, for the message at a terminal.
    init(_ file: String?, of content: String) throws(CommandError) {
        let path = file == "-" ? nil : file
        name = path ?? "standard input"
        switch try InputSource.open(path, of: content).source {
        case .file(let descriptor): (input, reader) = (descriptor, nil)
        case .stream(let descriptor):
            do throws(SystemError) {
                (input, reader) = (descriptor, try StreamReader(descriptor, control: StopControl()))
            } catch {
                throw .unusable("cannot read \(path ?? "standard input"): \(error)")
            }
        }
    }

    /// Converts the whole file. The entries before an error are written first.
    mutating func run(_ converter: some LineConverter) throws(CommandError) {
        var converter = converter
        var isEnded = false
        while !isEnded {
            let bytes = try read()
            isEnded = bytes.isEmpty
            if isEnded { converter.finish() } else { converter.append(bytes) }
            try writeNext(&converter)
        }
    }

    /// Writes all entries that are complete.
    private mutating func writeNext(_ converter: inout some LineConverter) throws(CommandError) {
        while let conversion = try next(&converter) {
            for warning in conversion.warnings {
                StandardError.write("\(name):\(warning.line): warning: \(warning.message)\n")
            }
            for text in conversion.texts { waiting += Array(text.utf8) + [UInt8(ascii: "\n")] }
            if waiting.count >= Self.pieceByteCount { try write() }
        }
        try write()
    }

    private mutating func next(_ converter: inout some LineConverter) throws(CommandError) -> Conversion? {
        do throws(ConversionError) {
            return try converter.next()
        } catch {
            try write()
            throw .badInput("\(name):\(error.line): \(error.message)")
        }
    }

    private func read() throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            guard let reader else { return try input.read(upTo: Self.pieceByteCount) }
            if case .bytes(let bytes) = try reader.next() { return bytes }
            return []
        } catch {
            throw .unusable("cannot read \(name): \(error)")
        }
    }

    private mutating func write() throws(CommandError) {
        do throws(SystemError) {
            var bytes = waiting[...]
            waiting = []
            try FileDescriptor.standardOutput.write(&bytes)
        } catch {
            throw .unusable("cannot write to standard output: \(error)")
        }
    }
}
