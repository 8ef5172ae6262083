// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
package import BluebonnetBatch
internal import Foundation

/// Computes the identity of a batch: the lines, and the settings that change which requests are sent or what their
/// results say. Limits, time limits and retries are left out: a batch may continue with others.
package enum BatchDigest {
    /// The beginning of the digest of a file's lines, to which the bytes of the file are to be added.
    package static func ofFile(_ settings: RequestLineRunner.Settings) -> MessageDigest { started("file", settings) }

    /// The digest of lines that are values.
    package static func ofLines(_ lines: [RequestLine], _ settings: RequestLineRunner.Settings) -> String {
        var digest = OfLines(settings)
        for line in lines { digest.add(line.canonicalText) }
        return digest.finish()
    }

    /// The digest of lines that come one after the other.
    package struct OfLines {
        private let digest: MessageDigest

        package init(_ settings: RequestLineRunner.Settings) { digest = started("lines", settings) }

        /// Adds the next line, by its canonical text.
        package mutating func add(_ canonicalText: String) {
            digest.add(canonicalText)
            digest.add("\n")
        }

        /// The digest of all that was added. To be called once.
        package mutating func finish() -> String { digest.finish() }
    }

    /// The digest of lines that come later; each of them has a fingerprint.
    package static func ofStream(_ settings: RequestLineRunner.Settings) -> String {
        started("stream", settings).finish()
    }

    /// The identity of a line of a stream.
    static func fingerprint(of line: RequestLine) -> String { hexadecimal(line.canonicalText) }

    /// The digest of a text.
    package static func hexadecimal(_ text: String) -> String {
        let digest = MessageDigest(.sha256)
        digest.add(text)
        return digest.finish()
    }

    /// Header fields of the settings whose values are left out: they may differ between runs, and who reads the journal
    /// cannot try values of them.
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
