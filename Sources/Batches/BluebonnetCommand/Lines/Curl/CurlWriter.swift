// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// Writes request lines as commands of curl for a POSIX shell, one for each line. Before a command, a comment names
/// each field without a counterpart.
struct CurlWriter: LineConverter {
    private let baseURL: URL?
    private var lines = NumberedLines()

    /// - Parameter baseURL: the base of relative URLs.
    init(baseURL: URL? = nil) { self.baseURL = baseURL.map(RequestOperationManager.withTrailingSlash) }

    mutating func append(_ bytes: [UInt8]) { lines.append(bytes) }

    mutating func finish() { lines.finish() }

    mutating func next() throws(ConversionError) -> Conversion? {
        guard let line = try lines.next() else { return nil }
        do throws(RequestLineError) {
            guard let parsed = try RequestLineParser().parse(line: line.bytes, number: line.number) else { return nil }
            let (request, references) = try parsed.line.unescapingReferences()
            return try conversion(of: request, references: references, number: line.number)
        } catch {
            throw ConversionError(
                line: line.number, RequestLineError(field: error.field, message: error.message).description)
        }
    }

    private func conversion(
        of request: RequestLine, references: [String], number: Int
    ) throws(RequestLineError) -> Conversion {
        var request = request
        if !references.contains("url") { request.url = try absolute(request.url) }
        let command = CurlCommandLine(request, references: references)
        let comments = command.comments.map { "# line \(number): \(FieldSyntax.visible($0, limit: 200))" }
        return Conversion(texts: comments + [command.words.map(ShellCommand.quoted).joined(separator: " ")])
    }

    /// Returns the URL against the base. A URL that curl would read otherwise is an error.
    private func absolute(_ text: String) throws(RequestLineError) -> String {
        if baseURL == nil, URLText(text).scheme == nil {
            throw RequestLineError(field: "url", message: "the URL is relative: pass its base with --base-url")
        }
        do throws(NetworkingError) {
            let url = try RequestCheck.url(text, relativeTo: baseURL)
            return URLText(text).authority == nil || URLText(text).scheme == nil ? url.absoluteString : text
        } catch {
            throw RequestLineError(field: "url", message: error.message)
        }
    }
}
