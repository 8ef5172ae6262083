// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
import BluebonnetLocks
public import Foundation

/// The response of one operation, for references from other lines.
public struct ReferenceSource: Sendable {
    /// The status code; nil without a response.
    public let status: Int?
    /// The headers in order of arrival.
    public let headers: HeaderFields
    /// The body; nil if it was not kept in memory.
    public private(set) var body: Data?
    /// The extracted values; nil if the line extracts none.
    public var values: JSONValue?
    /// The number of pages and of their items, for a line with `paginate`.
    package var pageCounts: PageCounts?
    private let parsedBody = ParsedBody()

    package struct PageCounts: Sendable, Hashable {
        let pages, items: Int

        package init(pages: Int, items: Int) { (self.pages, self.items) = (pages, items) }
    }

    /// Makes a source. Omit the parts that the operation does not have.
    public init(status: Int? = nil, headers: HeaderFields = [:], body: Data? = nil, values: JSONValue? = nil) {
        (self.status, self.headers, self.body, self.values) = (status, headers, body, values)
    }

    mutating func dropBody() { body = nil }

    /// Returns the text that replaces `reference`.
    func text(for reference: ReferenceTemplate.Reference) throws(NetworkingError) -> String {
        do throws(Missing) {
            return try text(for: reference.selector)
        } catch {
            throw NetworkingError(.unresolvedReference, "\(reference): \(error.reason)")
        }
    }

    /// The reason that a reference cannot be resolved.
    private struct Missing: Error, CustomStringConvertible {
        let reason: String

        var description: String { reason }
    }

    private func text(for selector: ReferenceTemplate.Reference.Selector) throws(Missing) -> String {
        switch selector {
        case .status:
            guard let status else { throw Missing(reason: "there was no response") }
            return String(status)
        case .header(let name): return try headerText(name)
        case .body(let path): return try path.isEmpty ? bodyText() : valueText(path)
        case .values(let path):
            guard let values else { throw Missing(reason: "the line has no \"extract\"") }
            let value = try Self.value(at: path, in: values, called: "values")
            return value.string ?? JSONText.text(of: value)
        case .items: return String(try counts().items)
        case .pages: return String(try counts().pages)
        }
    }

    private func counts() throws(Missing) -> PageCounts {
        guard let pageCounts else { throw Missing(reason: "the line has no \"paginate\"") }
        return pageCounts
    }

    private func headerText(_ name: String) throws(Missing) -> String {
        let values = headers.values(for: name)
        guard !values.isEmpty else { throw Missing(reason: "the response has no header \(name)") }
        return values.joined(separator: ", ")
    }

    private func bodyText() throws(Missing) -> String {
        guard let text = BodyEncoding(ofText: try keptBody(), charset: charset).text(of: try keptBody()) else {
            throw Missing(reason: "the body is not text in \(charset ?? "utf-8")")
        }
        return text
    }

    /// The charset in the response's content type.
    private var charset: String? { headers.values(for: "Content-Type").last.flatMap(BodyEncoding.charset) }

    private func valueText(_ path: [String]) throws(Missing) -> String {
        let value =
            switch parsedBody.text(of: try keptBody(), charset: charset) {
            case .value(let value): try Self.value(at: path, in: value)
            case .faulty(let text, let error): try Self.value(at: path, inFaulty: text, error)
            }
        return value.string ?? JSONText.text(of: value)
    }

    private static func value(
        at path: [String], in root: JSONValue, called name: String = "the body"
    ) throws(Missing) -> JSONValue {
        var value = root
        for (depth, step) in path.enumerated() {
            guard let member = value.step(step) else {
                let place = depth == 0 ? name : path[..<depth].joined(separator: ".")
                throw Missing(reason: "\(place) is \(value.kind) without \(JSONText.quoted(step))")
            }
            value = member
        }
        return value
    }

    /// Returns a value that is valid JSON from a body that is malformed elsewhere.
    private static func value(
        at path: [String], inFaulty text: Data, _ fault: JSONSyntaxError
    ) throws(Missing) -> JSONValue {
        let bytes = [UInt8](text)
        let range = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONSyntaxError) in try JSONParser.range(of: path, in: bytes) }
        }
        let place = path.joined(separator: ".")
        switch range {
        case .failure(let error): throw Missing(reason: "the body is not JSON: \(error)")
        case .success(nil): throw Missing(reason: "the body has no \(place), and is not JSON: \(fault)")
        case .success(let range?):
            do throws(JSONSyntaxError) {
                return try JSONValue(parsing: Data(bytes[range]), .utf8)
            } catch {
                throw Missing(reason: "\(place) is not JSON: \(error.reason)")
            }
        }
    }

    /// The body's JSON text in UTF-8.
    func jsonText() throws -> Data {
        let body = try keptBody()
        return try JSONValue.utf8(of: body, BodyEncoding(of: body, charset: charset))
    }

    private func keptBody() throws(Missing) -> Data {
        guard let body else { throw Missing(reason: "the body was not kept in memory") }
        return body
    }
}

/// The JSON value of a body, parsed at the first access and then cached.
private final class ParsedBody: Sendable {
    enum Text {
        case value(JSONValue)
        /// A text in UTF-8 that is not valid JSON, and its error.
        case faulty(Data, JSONSyntaxError)
    }

    private let text = Mutex(Text?.none)

    /// Returns the parsed body. Two threads that call this first at the same time may both parse it.
    func text(of body: Data, charset: String?) -> Text {
        if let known = text.withLock({ $0 }) { return known }
        let parsed = Self.parse(body, BodyEncoding(of: body, charset: charset))
        text.withLock { $0 = parsed }
        return parsed
    }

    private static func parse(_ body: Data, _ encoding: BodyEncoding) -> Text {
        var text = body
        do throws(JSONSyntaxError) {
            text = try JSONValue.utf8(of: body, encoding)
            return .value(try JSONValue(parsing: text, .utf8))
        } catch {
            return .faulty(text, error)
        }
    }
}

extension JSONValue {
    /// Returns the member `name`, or the element whose index is `name`.
    func step(_ name: String) -> JSONValue? {
        guard case .array = self else { return self[name] }
        return Int(name).flatMap { String($0) == name ? self[$0] : nil }
    }

    /// A description for error messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
