// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The text encoding of a body: from the charset that the response names, or from the bytes themselves.
package enum BodyEncoding: Equatable {
    case utf8
    case utf16(bigEndian: Bool)
    case utf32(bigEndian: Bool)
    case other(String.Encoding)

    /// Finds the encoding of JSON text. A byte order mark takes precedence, then a known charset, then the fallback,
    /// then the positions of the zero bytes, which reveal the encoding of JSON's first characters.
    package init(of body: Data, charset: String?, fallback: String.Encoding? = nil) {
        self =
            Self.marked(body)?.encoding ?? Self.named(charset, body) ?? fallback.map(BodyEncoding.init)
            ?? Self.guessed(body)
    }

    /// Finds the encoding of any text. A byte order mark takes precedence, then a known charset, then the fallback.
    package init(ofText body: Data, charset: String?, fallback: String.Encoding = .utf8) {
        self = Self.marked(body)?.encoding ?? Self.named(charset, body) ?? BodyEncoding(fallback)
    }

    /// Converts one of Foundation's encodings.
    package init(_ encoding: String.Encoding) {
        self =
            switch encoding {
            case .utf8: .utf8
            case .utf16BigEndian: .utf16(bigEndian: true)
            case .utf16LittleEndian: .utf16(bigEndian: false)
            case .utf32BigEndian: .utf32(bigEndian: true)
            case .utf32LittleEndian: .utf32(bigEndian: false)
            default: .other(encoding)
            }
    }

    /// Returns the value of the charset parameter of a `Content-Type`, in lower case.
    package static func charset(of contentType: String) -> String? {
        guard contentType.utf8.contains(UInt8(ascii: ";")) else { return nil }
        for parameter in contentType.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0].lowercased() == "charset" else { continue }
            return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"'")).lowercased()
        }
        return nil
    }

    /// Returns the text without its byte order mark; nil if the bytes are not text in this encoding.
    package func text(of body: Data) -> String? {
        let bytes = body.dropFirst(Self.marked(body).map { $0.encoding == self ? $0.length : 0 } ?? 0)
        return switch self {
        case .utf8: String(validating: bytes, as: UTF8.self)
        case .utf16(let isBig): Self.units(bytes, UInt16.self, isBig).flatMap { String(validating: $0, as: UTF16.self) }
        case .utf32(let isBig): Self.units(bytes, UInt32.self, isBig).flatMap { String(validating: $0, as: UTF32.self) }
        case .other(let encoding): String(data: body, encoding: encoding)
        }
    }
}

// MARK: - Finding the encoding

extension BodyEncoding {
    private static func marked(_ body: Data) -> (encoding: BodyEncoding, length: Int)? {
        let start = Array(body.prefix(4))
        if start == [0, 0, 0xFE, 0xFF] { return (.utf32(bigEndian: true), 4) }
        if start == [0xFF, 0xFE, 0, 0] { return (.utf32(bigEndian: false), 4) }
        if start.starts(with: [0xFE, 0xFF]) { return (.utf16(bigEndian: true), 2) }
        if start.starts(with: [0xFF, 0xFE]) { return (.utf16(bigEndian: false), 2) }
        return start.starts(with: [0xEF, 0xBB, 0xBF]) ? (.utf8, 3) : nil
    }

    private static func named(_ charset: String?, _ body: Data) -> BodyEncoding? {
        switch charset {
        case "utf-16", "utf-32": guessed(body)
        case "utf-16be": .utf16(bigEndian: true)
        case "utf-16le": .utf16(bigEndian: false)
        case "utf-32be": .utf32(bigEndian: true)
        case "utf-32le": .utf32(bigEndian: false)
        case "utf-8", "utf8": .utf8
        case let name?: encodings[name].map(BodyEncoding.other)
        case nil: nil
        }
    }

    /// Returns whether text can be read in a charset, by its name in lower case.
    static func isKnown(charset: String) -> Bool { named(charset, Data()) != nil }

    /// Returns Foundation's encoding for a charset; the fallback without a known charset.
    package static func foundationEncoding(
        ofCharset charset: String?, fallback: String.Encoding = .utf8
    ) -> String.Encoding {
        switch named(charset, Data()) {
        case nil: fallback
        case .utf8?: charset == "utf-16" ? .utf16 : charset == "utf-32" ? .utf32 : .utf8
        case .utf16(let isBig)?: isBig ? .utf16BigEndian : .utf16LittleEndian
        case .utf32(let isBig)?: isBig ? .utf32BigEndian : .utf32LittleEndian
        case .other(let encoding)?: encoding
        }
    }

    private static func guessed(_ body: Data) -> BodyEncoding {
        let isZero = body.prefix(4).map { $0 == 0 }
        return switch isZero {
        case [true, true, true, false]: .utf32(bigEndian: true)
        case [false, true, true, true]: .utf32(bigEndian: false)
        case _ where isZero.count >= 2 && isZero[0] && !isZero[1]: .utf16(bigEndian: true)
        case _ where isZero.count >= 2 && !isZero[0] && isZero[1]: .utf16(bigEndian: false)
        default: .utf8
        }
    }

    private static let encodings: [String: String.Encoding] = [
        "us-ascii": .ascii, "ascii": .ascii, "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
        "iso-8859-2": .isoLatin2, "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
        "windows-1252": .windowsCP1252, "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP,
    ]

    /// Returns the bytes as integers of their width; nil if their count is not a multiple of the width.
    private static func units<Unit: FixedWidthInteger>(_ bytes: Data, _ type: Unit.Type, _ isBig: Bool) -> [Unit]? {
        let width = MemoryLayout<Unit>.size
        guard bytes.count.isMultiple(of: width) else { return nil }
        return bytes.withUnsafeBytes { buffer in
            stride(from: 0, to: buffer.count, by: width).map { offset in
                let unit = buffer.loadUnaligned(fromByteOffset: offset, as: Unit.self)
                return isBig ? Unit(bigEndian: unit) : Unit(littleEndian: unit)
            }
        }
    }
}
