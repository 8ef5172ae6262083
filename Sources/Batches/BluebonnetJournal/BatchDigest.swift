// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
package import BluebonnetBatch
internal import Foundation

/// Computes the identity of a batch from its lines and from the settings that change which requests are sent or what
/// their results say. Concurrency, time limits and retries are left out: a batch may continue with other values.
package enum BatchDigest {
    /// Returns the beginning of the digest of a file's lines. The caller adds the bytes of the file.
    package static func ofFile(_ settings: RequestLineRunner.Settings) -> MessageDigest { started("file", settings) }

    /// Returns the digest of lines that are in memory.
    package static func ofLines(_ lines: [RequestLine], _ settings: RequestLineRunner.Settings) -> String {
        var digest = OfLines(settings)
        for line in lines { digest.add(line.canonicalText) }
        return digest.finish()
    }

    /// Computes the digest of lines that arrive one after the other.
    package struct OfLines {
        private let digest: MessageDigest

        package init(_ settings: RequestLineRunner.Settings) { digest = started("lines", settings) }

        /// Adds the next line, by its canonical text.
        package mutating func add(_ canonicalText: String) {
            digest.add(canonicalText)
            digest.add("\n")
        }

        /// Returns the digest of all added lines. To be called once.
        package mutating func finish() -> String { digest.finish() }
    }

    /// Returns the digest for lines that arrive later, which covers only the settings. Each of these lines has a
    /// fingerprint.
    package static func ofStream(_ settings: RequestLineRunner.Settings) -> String {
        started("stream", settings).finish()
    }

    /// Returns the identity of a line of a stream.
    static func fingerprint(of line: RequestLine) -> String {
        adding(line.elementFile.map { [$0] } ?? [], to: hexadecimal(line.canonicalText))
    }

    /// Returns a digest that also covers the files with the elements of lines: elements may be recognized by their
    /// numbers, which have another meaning in a changed file.
    package static func adding(_ elementFiles: [String], to text: String) -> String {
        guard !elementFiles.isEmpty else { return text }
        let digest = MessageDigest(.sha256)
        digest.add(text)
        for file in elementFiles {
            digest.add("\n\(file.utf8.count):\(file)\n")
            ElementReader.add(file: file, to: digest)
        }
        return digest.finish()
    }

    /// Returns the SHA-256 digest of a text in hexadecimal digits.
    package static func hexadecimal(_ text: String) -> String {
        let digest = MessageDigest(.sha256)
        digest.add(text)
        return digest.finish()
    }

    /// Header fields of the settings whose values are left out. The values may differ between runs, and a reader of
    /// the journal must not be able to test guesses.
    private static let secretFields: Set = ["authorization", "cookie", "proxy-authorization"]

    private static func started(_ kind: String, _ settings: RequestLineRunner.Settings) -> MessageDigest {
        let options = settings.transferOptions
        var parts = [
            kind, settings.baseURL?.absoluteString ?? "", settings.bodyForm.rawValue,
            String(settings.cancelsAtFirstFailure), String(options.maximumBodyByteCount),
            String(options.keepsDotSegments),
        ]
        if !options.decodesContent { parts.append("undecoded") }
        parts += settings.headers.flatMap { field in
            let name = field.name.lowercased()
            return [name, secretFields.contains(name) ? "" : field.value]
        }
        let digest = MessageDigest(.sha256)
        // The length before each part keeps two parts from looking like another pair.
        digest.add(parts.map { "\($0.utf8.count):\($0)\n" }.joined() + "\n")
        return digest
    }
}

extension MessageDigest {
    fileprivate func add(_ text: String) {
        var text = text
        text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    }
}
