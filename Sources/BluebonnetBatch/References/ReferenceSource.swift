// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation
import Synchronization

/// The response of one operation, for the references of other lines to it.
public struct ReferenceSource: Sendable {
    /// The status code, when there was a response.
    public let status: Int?
    /// The headers in their order of arrival.
    public let headers: HeaderFields
    /// The body, when it was kept in memory.
    public let body: Data?
    private let parsedBody = ParsedBody()

    /// Makes a source; leave out what the operation does not have.
    public init(status: Int? = nil, headers: HeaderFields = [:], body: Data? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The text that `reference` stands for.
    func text(for reference: ReferenceTemplate.Reference) throws(NetworkingError) -> String {
        do throws(Missing) {
            return try text(for: reference.selector)
        } catch {
            throw NetworkingError(.unresolvedReference, "\(reference): \(error.reason)")
        }
    }

    /// Why a reference leads nowhere.
    private struct Missing: Error {
        let reason: String
    }

    private func text(for selector: ReferenceTemplate.Reference.Selector) throws(Missing) -> String {
        switch selector {
        case .status:
            guard let status else { throw Missing(reason: "there was no response") }
            return String(status)
        case .header(let name): return try headerText(name)
        case .body(let path): return try path.isEmpty ? bodyText() : valueText(path)
        }
    }

    private func headerText(_ name: String) throws(Missing) -> String {
        let values = headers.values(for: name)
        guard !values.isEmpty else { throw Missing(reason: "the response has no header \(name)") }
        return values.joined(separator: ", ")
    }

    private func bodyText() throws(Missing) -> String {
        guard let text = String(validating: try keptBody(), as: UTF8.self) else {
            throw Missing(reason: "the body is not UTF-8 text")
        }
        return text
    }

    private func valueText(_ path: [String]) throws(Missing) -> String {
        guard var value = parsedBody.value(of: try keptBody()) else { throw Missing(reason: "the body is not JSON") }
        for (depth, name) in path.enumerated() {
            guard let member = value.step(name) else {
                let place = depth == 0 ? "the body" : path[..<depth].joined(separator: ".")
                throw Missing(reason: "\(place) is \(value.kind) without \(JSONText.quoted(name))")
            }
            value = member
        }
        return value.string ?? JSONText.text(of: value)
    }

    private func keptBody() throws(Missing) -> Data {
        guard let body else { throw Missing(reason: "the body was not kept in memory") }
        return body
    }
}

/// A body's JSON value, parsed when it is first asked for and kept.
private final class ParsedBody: Sendable {
    private enum State {
        case notParsed
        case parsed(JSONValue?)
    }

    private let state = Mutex(State.notParsed)

    /// The value, or nil when `body` is not JSON. Two threads that ask first at the same time may both parse.
    func value(of body: Data) -> JSONValue? {
        if case .parsed(let value) = state.withLock({ $0 }) { return value }
        let value = try? JSONValue(parsing: body)
        state.withLock { $0 = .parsed(value) }
        return value
    }
}

extension JSONValue {
    /// The member, or the element whose index is `name`.
    fileprivate func step(_ name: String) -> JSONValue? {
        guard case .array = self else { return self[name] }
        return Int(name).flatMap { String($0) == name ? self[$0] : nil }
    }

    /// What this is, for an error message.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
