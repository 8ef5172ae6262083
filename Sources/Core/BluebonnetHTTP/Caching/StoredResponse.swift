// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// A stored response without its body, for decisions about its use. A copy is cheap.
package struct StoredResponse: Sendable {
    /// The number by which the store knows the response; 0 before it is stored.
    package var id: Int64 = 0
    /// The stored bytes.
    package internal(set) var body: StoredBody
    /// Whether the response must be validated before its next use, even if it is fresh.
    package var isExpired = false
    private let record: StoredRecord

    /// Makes a response from the parts that a store keeps.
    package init(
        id: Int64, key: CacheKey, statusCode: Int, reasonPhrase: String, headers: HeaderFields, variance: CacheVariance,
        requestedAt: Date, receivedAt: Date, body: StoredBody, isExpired: Bool = false
    ) {
        (self.id, self.body, self.isExpired) = (id, body, isExpired)
        record = StoredRecord(
            key, statusCode, reasonPhrase, headers, variance, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// The response with digests instead of the values of the request fields that selected it.
    package var hashed: StoredResponse {
        var response = with(headers, variance.hashed, requestedAt: requestedAt, receivedAt: receivedAt)
        response.isExpired = isExpired
        return response
    }

    /// Returns the same response with other fields, as received at that time.
    func with(
        _ headers: HeaderFields, _ variance: CacheVariance, requestedAt: Date, receivedAt: Date
    ) -> StoredResponse {
        StoredResponse(
            id: id, key: key, statusCode: statusCode, reasonPhrase: reasonPhrase, headers: headers, variance: variance,
            requestedAt: requestedAt, receivedAt: receivedAt, body: body)
    }
}

/// The parts of a stored response that do not change, and values derived from them.
private final class StoredRecord: Sendable {
    let key: CacheKey
    let statusCode: Int
    let reasonPhrase: String
    let headers: HeaderFields
    let fieldsWithoutAge: [HeaderFields.Field]
    let variance: CacheVariance
    let requestedAt: Date
    let receivedAt: Date
    let directives: CacheDirectives
    let times: StoredTimes
    let entityTag: EntityTag?
    let searchVariance: SearchVariance?

    init(
        _ key: CacheKey, _ statusCode: Int, _ reasonPhrase: String, _ headers: HeaderFields, _ variance: CacheVariance,
        requestedAt: Date, receivedAt: Date
    ) {
        (self.key, self.statusCode, self.reasonPhrase, self.headers) = (key, statusCode, reasonPhrase, headers)
        (self.variance, self.requestedAt, self.receivedAt) = (variance, requestedAt, receivedAt)
        directives = CacheDirectives(headers.values(for: "Cache-Control"))
        times = StoredTimes(statusCode, headers, directives, requestedAt: requestedAt, receivedAt: receivedAt)
        entityTag = EntityTag(headers)
        searchVariance = SearchVariance(headers.values(for: "No-Vary-Search"))
        fieldsWithoutAge = headers.fields.filter { !$0.hasName("Age") }
    }
}

extension StoredResponse {
    package var key: CacheKey { record.key }
    package var statusCode: Int { record.statusCode }
    package var reasonPhrase: String { record.reasonPhrase }
    /// The fields to store. A part of a body (206) has the fields of the whole.
    package var headers: HeaderFields { record.headers }
    /// The request fields that selected the response.
    package var variance: CacheVariance { record.variance }
    /// When the request was sent, or earlier.
    package var requestedAt: Date { record.requestedAt }
    /// When the head of the response had arrived.
    package var receivedAt: Date { record.receivedAt }
    package var times: StoredTimes { record.times }

    var directives: CacheDirectives { record.directives }
    var entityTag: EntityTag? { record.entityTag }

    /// Returns the fields with the age at that time.
    func headers(at now: Date) -> HeaderFields {
        HeaderFields(record.fieldsWithoutAge + [HeaderFields.Field(name: "Age", value: times.ageText(at: now))])
    }
}

extension StoredResponse {
    /// Whether the response may answer requests for URLs with another query. The store then has to find it by
    /// `key.withoutQuery`.
    package var ignoresPartsOfQuery: Bool { record.searchVariance != nil }

    /// The groups of the response (RFC 9875); none if the field is invalid.
    package var groups: [String] { StructuredField.strings(headers.values(for: "Cache-Groups")) ?? [] }

    /// Returns whether the response was stored for the URL of a request, or for one with the same meaning.
    package func isFor(_ request: CacheRequest) -> Bool {
        key == request.key || record.searchVariance?.areEquivalent(key, request.key) ?? false
    }

    /// Returns whether the server would select the response for the request's fields.
    package func isSelected(by request: CacheRequest) -> Bool { variance.matches(request.headers) }

    /// The date of the last modification, as received.
    var lastModified: String? {
        let values = headers.values(for: "Last-Modified")
        return values.count == 1 ? values[0] : nil
    }

    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// The validator that guarantees the same bytes (RFC 9110, 8.8.1); nil without one. It makes parts combinable.
    var strongValidator: StrongValidator? { StrongValidator(headers) }
}

extension StoredResponse {
    /// Returns the response after its body has arrived; nil if it is not stored.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes that arrived with this response, without bytes that were stored before.
    ///   - isWhole: whether the body came to its end.
    ///   - isDecoded: whether content codings were removed from the bytes.
    package func ended(byteCount: Int64, isWhole: Bool, isDecoded: Bool = false) -> StoredResponse? {
        var response = self
        if let part = body.announcedPart {
            guard !isDecoded, byteCount > 0, byteCount <= part.count else { return nil }
            response.body.addAnnounced(byteCount: byteCount)
        } else if isWhole {
            response.body = StoredBody(byteCount: byteCount, isDecoded: isDecoded)
        } else {
            guard let total = announcedLength, statusCode == 200, byteCount > 0, byteCount <= total, !isDecoded,
                strongValidator != nil
            else { return nil }  // the rest could not be combined with this part
            response.body = StoredBody(part: 0..<byteCount, totalByteCount: total)
        }
        return response
    }

    private var announcedLength: Int64? { ResponseHead.Framing(FieldBlock(headers.fields)).contentLength }
}

extension StoredResponse: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, key, statusCode, reasonPhrase, headers, variance, requestedAt, receivedAt, body, isExpired
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(Int64.self, forKey: .id), key: try values.decode(CacheKey.self, forKey: .key),
            statusCode: try values.decode(Int.self, forKey: .statusCode),
            reasonPhrase: try values.decode(String.self, forKey: .reasonPhrase),
            headers: try values.decode(HeaderFields.self, forKey: .headers),
            variance: try values.decode(CacheVariance.self, forKey: .variance),
            requestedAt: try values.decode(Date.self, forKey: .requestedAt),
            receivedAt: try values.decode(Date.self, forKey: .receivedAt),
            body: try values.decode(StoredBody.self, forKey: .body),
            isExpired: try values.decode(Bool.self, forKey: .isExpired))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encode(key, forKey: .key)
        try values.encode(statusCode, forKey: .statusCode)
        try values.encode(reasonPhrase, forKey: .reasonPhrase)
        try values.encode(headers, forKey: .headers)
        try values.encode(variance, forKey: .variance)
        try values.encode(requestedAt, forKey: .requestedAt)
        try values.encode(receivedAt, forKey: .receivedAt)
        try values.encode(body, forKey: .body)
        try values.encode(isExpired, forKey: .isExpired)
    }
}
