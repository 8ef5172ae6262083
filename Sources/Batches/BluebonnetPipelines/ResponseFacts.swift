// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
internal import BluebonnetLocks
package import Foundation

/// A response, as the steps of a pipeline see it.
package final class ResponseFacts: Sendable {
    package let status: Int
    package let headers: HeaderFields
    /// The URL of the response.
    package let url: URL
    /// Seconds from the start of the operation to the end of the response.
    package let duration: Double
    package let byteCount: Int
    /// The decoded body; nil if it was not kept in memory.
    private let body: Data?
    private let utf8 = Mutex(Result<Data, Unreadable>?.none)

    /// Why the body has no values.
    package struct Unreadable: Error {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    package init(_ head: ResponseHead, body: Data?, byteCount: Int, duration: Double) {
        (status, headers, url) = (head.statusCode, head.headers, head.url)
        (self.body, self.byteCount, self.duration) = (body, byteCount, duration)
    }

    /// The values of a header field.
    package func values(ofField name: String) -> [String] { headers.values(for: name) }

    /// The values at a path of the body.
    package func values(at path: JSONPath) throws(Unreadable) -> [JSONValue] {
        let text = try jsonText()
        do {
            return try text.withUnsafeBytes { try path.values(inText: $0) }
        } catch {
            throw Self.unreadable(error)
        }
    }

    /// The number of values at a path of the body.
    package func count(at path: JSONPath) throws(Unreadable) -> Int {
        guard path.hasRanges else { return try values(at: path).count }
        let text = try jsonText()
        var count = 0
        do {
            try text.withUnsafeBytes { bytes in
                try path.forEachRange(inText: bytes) { _ in
                    count += 1
                    return true
                }
            }
            return count
        } catch is JSONPathRepeatedMember {
            return try values(at: path).count
        } catch {
            throw Self.unreadable(error)
        }
    }

    /// The body as text.
    package func text() throws(Unreadable) -> String {
        let body = try keptBody()
        guard let text = BodyEncoding(ofText: body, charset: charset).text(of: body) else {
            throw Unreadable(reason: "the body is not text in \(charset ?? "utf-8")")
        }
        return text
    }

    /// The body's JSON text in UTF-8.
    package func jsonText() throws(Unreadable) -> Data {
        if let known = utf8.withLock({ $0 }) { return try known.get() }
        let body = try keptBody()
        let text = Result { () throws(Unreadable) in
            do throws(JSONSyntaxError) {
                return try JSONValue.utf8(of: body, BodyEncoding(of: body, charset: charset))
            } catch {
                throw Self.unreadable(error)
            }
        }
        utf8.withLock { $0 = text }
        return try text.get()
    }

    private var charset: String? { headers.values(for: "Content-Type").last.flatMap(BodyEncoding.charset) }

    private func keptBody() throws(Unreadable) -> Data {
        guard let body else { throw Unreadable(reason: "the body was not kept in memory") }
        return body
    }

    private static func unreadable(_ error: any Error) -> Unreadable {
        error is JSONSyntaxError
            ? Unreadable(reason: "the body is not JSON: \(error)") : Unreadable(reason: "\(error)")
    }
}
