// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
internal import CLinux
internal import Foundation
internal import Glibc

/// Reads the elements of a response or of a file one by one, so that memory never holds all of them as values.
package enum ElementReader {
    /// Why the elements cannot be read.
    package struct Failure: Error { package let code: NetworkingError.Code, message: String }

    /// Delivers the elements of a response until `body` returns false.
    static func read(
        _ response: ElementFeed.Arrival, at path: JSONPath, _ body: (JSONValue) -> Bool
    ) throws(Failure) {
        try read(response.source, of: response.id, at: path, body)
    }

    /// Delivers the elements of the response of the operation with an id until `body` returns false.
    package static func read(
        _ source: ReferenceSource, of id: String, at path: JSONPath, _ body: (JSONValue) -> Bool
    ) throws(Failure) {
        do {
            let text = try source.jsonText()
            try text.withUnsafeBytes { try read($0, at: path, body) }
        } catch {
            throw Failure(
                code: .cannotParseResponse,
                message: "the elements of \(JSONText.quoted(id)) cannot be read: \(reason(error))")
        }
    }

    private static func read(
        _ text: UnsafeRawBufferPointer, at path: JSONPath, _ body: (JSONValue) -> Bool
    ) throws {
        if path.hasRanges {
            // Only the end of the text shows whether a member is repeated, and nothing may be sent for the earlier one.
            do {
                try path.forEachRange(inText: text) { _ in true }
                return try path.forEachValue(inText: text, body)
            } catch is JSONPathRepeatedMember {}
        }
        for value in try path.values(inText: text) where !body(value) { return }
    }

    private static func reason(_ error: any Error) -> String {
        error is JSONSyntaxError ? "the body is not JSON: \(error)" : "\(error)"
    }
}

// MARK: - Files

extension ElementReader {
    private static let blockByteCount = 256 << 10
    /// The maximum length of a line of JSON.
    private static let lineByteCount = 64 << 20

    /// Delivers the rows of a file until `body` returns false.
    package static func read(file path: String, _ body: (JSONValue) -> Bool) throws(Failure) {
        if path.lowercased().hasSuffix(".csv") { return try read(csv: path, body) }
        try read(jsonLines: path, body)
    }

    /// Adds the bytes of a file to a digest, up to the first that cannot be read.
    package static func add(file path: String, to digest: MessageDigest) {
        try? eachBlock(of: path) { block in
            block.withUnsafeBytes { digest.update($0) }
            return true
        }
    }

    /// Checks that a file can be read.
    static func check(file path: String) throws(Failure) {
        do {
            try eachBlock(of: path) { _ in false }
        } catch {
            throw failure(path, error)
        }
    }

    /// The names of the columns of a CSV file.
    static func columns(ofCSV path: String) throws(Failure) -> [String] {
        var rows = CSVRows()
        do {
            var names: [String]?
            try eachBlock(of: path) { block in
                rows.append(block)
                names = try rows.headerRow()?.fields
                return names == nil
            }
            rows.finish()
            return try names ?? rows.headerRow()?.fields ?? []
        } catch {
            throw failure(path, error)
        }
    }

    private static func read(csv path: String, _ body: (JSONValue) -> Bool) throws(Failure) {
        var rows = CSVRows()
        var mayContinue = true
        func deliver() throws(CSVError) {
            while mayContinue, let row = try rows.next() { mayContinue = body(.object(row.object)) }
        }
        do {
            try eachBlock(of: path) { block in
                rows.append(block)
                try deliver()
                return mayContinue
            }
            guard mayContinue else { return }
            rows.finish()
            try deliver()
        } catch {
            throw failure(path, error)
        }
    }

    private static func read(jsonLines path: String, _ body: (JSONValue) -> Bool) throws(Failure) {
        var (rest, number, mayContinue) = ([UInt8](), 0, true)
        func deliver(_ line: ArraySlice<UInt8>) throws {
            number += 1
            let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard mayContinue, !isBlank else { return }
            do {
                mayContinue = body(try line.withUnsafeBytes { try JSONParser.value(of: $0) })
            } catch {
                throw Failure(code: .cannotReadFile, message: "line \(number) is not JSON: \(error)")
            }
        }
        do {
            try eachBlock(of: path) { block in
                let known = rest.count
                rest.append(contentsOf: block)
                guard let end = rest[known...].lastIndex(of: UInt8(ascii: "\n")) else {
                    guard rest.count <= lineByteCount else {
                        let limit = "longer than \(lineByteCount >> 20) MiB"
                        throw Failure(code: .cannotReadFile, message: "line \(number + 1) is \(limit)")
                    }
                    return true
                }
                for line in rest[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                    try deliver(line)
                }
                rest.removeFirst(end + 1)
                return mayContinue
            }
            if !rest.isEmpty { try deliver(rest[...]) }
        } catch {
            throw failure(path, error)
        }
    }

    /// Reads a file block by block until `body` returns false.
    private static func eachBlock(of path: String, _ body: ([UInt8]) throws -> Bool) throws {
        let file = try open(path)
        defer { close(file) }
        while true {
            var count = 0
            let block = [UInt8](unsafeUninitializedCapacity: blockByteCount) { buffer, readCount in
                repeat {
                    count = Glibc.read(file, buffer.baseAddress, blockByteCount)
                } while count < 0 && errno == EINTR
                readCount = max(0, count)
            }
            guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            guard count > 0, try body(block) else { return }
        }
    }

    /// Opens a regular file. A pipe or a device may never end, and cannot be read twice, for the check and the rows.
    private static func open(_ path: String) throws -> CInt {
        // Opening a pipe without a writer would block.
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        var status = bluebonnet_file()
        guard bluebonnet_look_at(file, &status) == 0, status.is_regular else {
            close(file)
            throw Failure(code: .cannotReadFile, message: "it is not a regular file")
        }
        return file
    }

    private static func failure(_ path: String, _ error: any Error) -> Failure {
        let reason =
            switch error {
            case let error as Failure: error.message
            case let error as POSIXError: String(cString: strerror(error.code.rawValue))
            default: "\(error)"
            }
        return Failure(code: .cannotReadFile, message: "the elements of \(path) cannot be read: \(reason)")
    }
}
