// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Splits text in the form of RFC 7468 into its blocks. It checks the form, not the content.
///
/// Text outside of the blocks is explanation, as the RFC permits. Anything malformed inside of a block is an error: a
/// pin that is overlooked does not protect.
struct PEMText {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    private let bytes: [UInt8]

    /// - Parameter data: may begin with a byte order mark, as some editors write it.
    init(_ data: Data) { bytes = Array(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data) }

    /// Returns whether the bytes are PEM rather than DER.
    static func isPEM(_ data: Data) -> Bool { data.range(of: Data(begin)) != nil }

    /// Returns the blocks in their order. The error says what is wrong, but does not name the file.
    func blocks() throws(PEMError) -> [PEMBlock] {
        var found: [PEMBlock] = []
        var open: PEMBlock?
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = Self.trimmed(line)
            if let label = Self.label(of: line, Self.begin) {
                guard open == nil else { throw PEMError("a block starts inside another block") }
                open = PEMBlock(label: label)
            } else if let label = Self.label(of: line, Self.end) {
                guard let block = open, block.label == label else { throw PEMError("an END line has no BEGIN line") }
                found.append(block)
                open = nil
            } else {
                open?.body.append(contentsOf: line)
            }
        }
        guard open == nil else { throw PEMError("its last block has no END line") }
        return found
    }

    /// Returns the bytes of each certificate in their order. Any other block is an error.
    func certificates() throws(PEMError) -> [Data] {
        var found: [Data] = []
        for block in try blocks() {
            guard block.isCertificate else { throw PEMError("it contains a block of \(block.label.lowercased())") }
            guard let bytes = block.bytes else { throw PEMError("block \(found.count + 1) is not Base64") }
            found.append(bytes)
        }
        return found
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = line.firstIndex(where: { !isBlank($0) }), let last = line.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return line[first...last]
    }

    private static func label(of line: ArraySlice<UInt8>, _ mark: [UInt8]) -> String? {
        guard line.starts(with: mark), line.suffix(dashes.count) == dashes[...], line.count >= mark.count + dashes.count
        else { return nil }
        return String(decoding: line.dropFirst(mark.count).dropLast(dashes.count), as: UTF8.self)
    }
}

/// A block of PEM text: the text between two lines of dashes.
struct PEMBlock {
    let label: String
    /// The text as written, without line ends.
    fileprivate(set) var body = Data()

    fileprivate init(label: String) { self.label = label }

    /// The decoded bytes; nil if they are empty or not Base64.
    var bytes: Data? { Data(base64Encoded: body).flatMap { $0.isEmpty ? nil : $0 } }

    var isCertificate: Bool { label == "CERTIFICATE" || label == "X509 CERTIFICATE" }

    /// Whether the block has OpenSSL's own form: a certificate with its trust settings.
    var isTrustedCertificate: Bool { label == "TRUSTED CERTIFICATE" }
}

/// The reason why a text is not PEM.
struct PEMError: Error {
    let words: String

    init(_ words: String) { self.words = words }
}
