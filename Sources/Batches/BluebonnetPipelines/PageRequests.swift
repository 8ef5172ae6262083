// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// Requests the pages of one call, one after another.
struct PageRequests: Sendable {
    private enum Position: Sendable {
        case page(PageChange?)
        case failure(NetworkingError)
        case end
    }

    private let call: Call
    private let rule: Pagination
    private var sequence: PageSequence
    private var position: Position

    init(_ call: Call, _ rule: Pagination) {
        (self.call, self.rule, sequence) = (call, rule, PageSequence(rule))
        position = .page(sequence.first)
    }

    /// The path of the items.
    var itemPath: JSONPath { rule.itemPath }

    /// Requests the next page; nil after the last. An error ends the pages.
    mutating func next<Value: Decodable & Sendable>(
        as type: Value.Type, _ decoder: JSONDecoder?
    ) async throws(NetworkingError) -> Page<Value>? {
        switch position {
        case .end: return nil
        case .failure(let error):
            position = .end
            throw error
        case .page(let change):
            position = .end
            let handle = call(for: change).handle(as: type, decoder: decoder)
            let value = try await call.manager.run(handle)
            let response: Response<Value> = try handle.operation.response(with: value)
            try advance(after: handle.operation, response.head)
            return Page(number: sequence.pageCount, response: response)
        }
    }

    private mutating func advance(
        after operation: HTTPRequestOperation, _ head: ResponseHead
    ) throws(NetworkingError) {
        let body = operation.responseData ?? Data()
        let facts = ResponseFacts(head, body: body, byteCount: body.count, duration: 0)
        do throws(NetworkingError) {
            var candidate = try rule.candidate(in: facts)
            candidate.requestURL = operation.request?.url
            switch sequence.step(after: candidate) {
            case .next(let change): position = .page(change)
            case .end: position = .end
            case .fail(let code, let message):
                position = .failure(NetworkingError(code, message, request: operation.request))
            }
        } catch {
            throw NetworkingError(error.code, error.message, request: operation.request, underlying: error.underlying)
        }
    }

    /// The call of a page.
    private func call(for change: PageChange?) -> Call {
        guard let change else { return call }
        let changed = call.request { request in try request.apply(change) }
        guard change.hasLeftOrigin else { return changed }
        return changed.configure { operation in
            operation.options.credential = nil
            operation.options.tls.clientIdentity = nil
        }
    }
}

extension HTTPRequest {
    /// Changes the request of the first page to the request of another.
    ///
    /// - Throws: `badURL` for a URL that cannot be requested; `invalidRequest` if the body that gets a parameter is not
    ///   a JSON object.
    mutating func apply(_ change: PageChange) throws(NetworkingError) {
        if change.hasLeftOrigin {
            headers = HeaderFields(headers.filter { HopRequest.isAllowedAcrossOrigins($0.name) })
        }
        switch change.place {
        case .url(let text): url = try RequestCheck.url(text)
        case .parameter(.query(let name), let value): try setQuery(name, to: value)
        case .parameter(.json(let name), let value): try setMember(name, to: value)
        }
    }

    private mutating func setQuery(_ name: String, to value: JSONValue) throws(NetworkingError) {
        let text = url.absoluteString.prefix { $0 != "#" }
        let query = text.drop { $0 != "?" }.dropFirst()
        let others = query.split(separator: "&").filter { item in
            let key = String(item.prefix { $0 != "=" }.replacing("+", with: " "))
            return !FieldSyntax.isSameText(key.removingPercentEncoding ?? key, name)
        }
        let added = try QueryEncoder().encode([name: value] as JSONObject)
        let changed = (others.map(String.init) + [added]).joined(separator: "&")
        url = try RequestCheck.url("\(text.prefix { $0 != "?" })?\(changed)")
    }

    private mutating func setMember(_ name: String, to value: JSONValue) throws(NetworkingError) {
        var members = JSONObject()
        if let body, !body.isEmpty {
            guard case .object(let given)? = try? JSONValue(parsing: body) else {
                throw NetworkingError(
                    .invalidRequest, "the body is not a JSON object, so the page cannot be set in \"\(name)\"")
            }
            members = given
        }
        members[name] = value
        body = Data(JSONValue.object(members).jsonText.utf8)
        if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
    }
}
