// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Formats compact JSON text for people or for old readers. It recognizes only where strings begin and end, so the text
/// must be valid.
package struct JSONLayout {
    /// Whether each member and element is on its own line, indented by two spaces a level, like Foundation's
    /// `prettyPrinted`.
    private let isPretty: Bool
    /// Whether `/` is written as `\/`, for text that is embedded in HTML.
    private let escapesSlashes: Bool
    private var result = Data()
    private var depth = 0

    private init(isPretty: Bool, escapesSlashes: Bool) {
        self.isPretty = isPretty
        self.escapesSlashes = escapesSlashes
    }

    /// Returns the text in another layout.
    package static func text(_ compact: Data, isPretty: Bool, escapesSlashes: Bool) -> Data {
        guard isPretty || escapesSlashes else { return compact }
        var layout = JSONLayout(isPretty: isPretty, escapesSlashes: escapesSlashes)
        layout.write(Array(compact))
        return layout.result
    }

    private mutating func write(_ bytes: [UInt8]) {
        var (isInString, isEscaped) = (false, false)
        for (index, byte) in bytes.enumerated() {
            guard isInString else {
                isInString = byte == UInt8(ascii: "\"")
                writeStructure(byte, previous: index > 0 ? bytes[index - 1] : 0, next: bytes.dropFirst(index + 1).first)
                continue
            }
            if byte == UInt8(ascii: "/"), escapesSlashes, !isEscaped { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
            if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
    }

    private mutating func writeStructure(_ byte: UInt8, previous: UInt8, next: UInt8?) {
        guard isPretty else { return result.append(byte) }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            result.append(byte)
            guard next != byte + 2 else { return }  // in ASCII, "]" and "}" are two after "[" and "{"
            depth += 1
            newLine()
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if previous != byte - 2 {
                depth -= 1
                newLine()
            }
            result.append(byte)
        case UInt8(ascii: ","):
            result.append(byte)
            newLine()
        case UInt8(ascii: ":"): result.append(contentsOf: " : ".utf8)
        default: result.append(byte)
        }
    }

    private mutating func newLine() {
        result.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { result.append(contentsOf: "  ".utf8) }
    }
}
