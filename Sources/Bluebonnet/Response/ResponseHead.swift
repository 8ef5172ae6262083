// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

/// The final head of a response as it arrived: status line and fields, in order, repeated ones apart.
struct ResponseHead: Sendable {
    /// The URL that answered.
    let url: URL
    let status: Int
    /// The text behind the status; empty in HTTP/2.
    let reason: String
    /// `1.0`, `1.1`, `2` or `3`.
    let httpVersion: String
    let fields: [(name: String, value: String)]
    /// What the fields say about the body, read once.
    let framing: Framing
    /// The values of `Location` with every byte escaped that is not ASCII.
    let locations: [String]

    /// - Parameter locations: taken from the fields when nil.
    init(
        url: URL, status: Int, reason: String = "", httpVersion: String = "1.1",
        fields: [(name: String, value: String)] = [], locations: [String]? = nil
    ) {
        self.url = url
        self.status = status
        self.reason = reason
        self.httpVersion = httpVersion
        self.fields = fields
        let named = fields.lazy.filter { FieldSyntax.isSameName($0.name, "Location") }
        self.locations = locations ?? named.map { URLText.escapingNonASCII($0.value.utf8) }
        framing = Framing(fields)
    }

    /// Every value of the fields with that name, whatever its case, in order.
    func values(for name: String) -> [String] {
        fields.compactMap { FieldSyntax.isSameName($0.name, name) ? $0.value : nil }
    }

    /// The values of the fields with that name, joined by ", "; nil when there is none.
    func value(for name: String) -> String? {
        let values = values(for: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The members of a field that is a list (RFC 9110, 5.6.1), in lower case, over all its lines.
    static func list(_ values: [String]) -> [String] {
        values.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
            .map { Substring(FieldSyntax.trimmed($0)).lowercased() }.filter { !$0.isEmpty }
    }

    /// Foundation's form of the response; repeated fields are joined by ", ".
    func urlResponse() throws(NetworkingError) -> HTTPURLResponse {
        var joined: [String: String] = [:]
        var spelling: [String: String] = [:]
        for (name, value) in fields {
            let name = spelling[name.lowercased(), default: name]
            spelling[name.lowercased()] = name
            joined[name] = joined[name].map { $0 + ", " + value } ?? value
        }
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/" + httpVersion, headerFields: joined)
        guard let response else {
            throw NetworkingError(.badServerResponse, "the response of \(url) has no form in Foundation")
        }
        return response
    }
}
