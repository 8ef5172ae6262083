// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetPipelines

extension RequestLine.Pipeline {
    /// Returns the extracted values of a response: an object, or an array of objects with `rows`. Nil if the line
    /// extracts nothing.
    ///
    /// - Throws: `cannotParseResponse` if the body has no JSON or no text that is needed.
    func values(in response: ResponseFacts) throws(NetworkingError) -> JSONValue? {
        guard !extract.isEmpty else { return nil }
        do throws(ResponseFacts.Unreadable) {
            guard let rows else { return .object(try object(in: response, row: nil)) }
            var objects: [JSONValue] = []
            for row in try response.values(at: rows) { objects.append(.object(try object(in: response, row: row))) }
            return .array(objects)
        } catch {
            throw NetworkingError(.cannotParseResponse, "values cannot be extracted: \(error.reason)")
        }
    }

    private func object(in response: ResponseFacts, row: JSONValue?) throws(ResponseFacts.Unreadable) -> JSONObject {
        var object = JSONObject()
        for (name, extraction) in extract { object[name] = try extraction.value(in: response, row: row) }
        return object
    }
}

extension RequestLine.Extraction {
    fileprivate func value(
        in response: ResponseFacts, row: JSONValue?
    ) throws(ResponseFacts.Unreadable) -> JSONValue {
        switch self {
        case .path(let path):
            let values: [JSONValue]
            if let row { values = try path.values(of: row) } else { values = try response.values(at: path) }
            return values.count > 1 ? .array(values) : values.first ?? .null
        case .header(let name):
            let values = response.values(ofField: name)
            return values.isEmpty ? .null : .string(values.joined(separator: ", "))
        case .status: return .integer(Int64(response.status))
        case .duration: return .number(JSONNumber(response.duration))
        case .text(let pattern):
            switch pattern.firstMatch(in: try response.text()) {
            case .found(let text): return text.map { .string($0) } ?? .null
            case .none: return .null
            case .abandoned:
                throw ResponseFacts.Unreadable(reason: "the expression \(pattern) backtracks too much")
            }
        }
    }
}

extension JSONPath {
    fileprivate func values(of row: JSONValue) throws(ResponseFacts.Unreadable) -> [JSONValue] {
        do throws(JSONPathLimitError) {
            return try values(in: row)
        } catch {
            throw ResponseFacts.Unreadable(reason: "\(error)")
        }
    }
}
