// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Certificates in the textual form of RFC 7468, taken apart. It knows the form, not what is inside.
///
/// Text outside of the blocks is explanation, as the RFC allows. Anything that is not as it should be inside of them is
/// an error: a pin that was overlooked is a pin that does not protect.
struct PEMText {
    private static let begin = "-----BEGIN "
    private static let end = "-----END "
    private static let dashes = "-----"
    private static let labels: Set<Substring> = ["CERTIFICATE", "X509 CERTIFICATE"]

    private let lines: [Substring]

    init(_ text: String) {
        lines = text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline)
    }

    /// Whether the bytes are PEM rather than DER.
    static func isPEM(_ data: Data) -> Bool { data.range(of: Data(begin.utf8)) != nil }

    /// The bytes of each certificate, in their order. The error says what is wrong, without a name of the file.
    func certificates() throws(PEMFault) -> [Data] {
        var found: [Data] = []
        var open: (label: Substring, text: String)?
        for line in lines.map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let label = Self.label(of: line, Self.begin) {
                guard open == nil else { throw PEMFault("a block begins inside of another") }
                guard Self.labels.contains(label) else { throw PEMFault("it holds a block of \(label.lowercased())") }
                open = (label, "")
            } else if let label = Self.label(of: line, Self.end) {
                guard let block = open, block.label == label else { throw PEMFault("a block ends that never began") }
                guard let data = Data(base64Encoded: block.text), !data.isEmpty else {
                    throw PEMFault("block \(found.count + 1) is not Base64")
                }
                found.append(data)
                open = nil
            } else {
                open?.text += line
            }
        }
        guard open == nil else { throw PEMFault("its last block has no end") }
        return found
    }

    private static func label(of line: String, _ mark: String) -> Substring? {
        guard line.hasPrefix(mark), line.hasSuffix(dashes), line.count >= mark.count + dashes.count else { return nil }
        return line.dropFirst(mark.count).dropLast(dashes.count)
    }
}

/// What is wrong with a text that should be PEM.
struct PEMFault: Error {
    let words: String

    init(_ words: String) { self.words = words }
}
