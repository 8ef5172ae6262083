// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

/// The final head of a response as it arrived: status line and fields, in order, repeated ones apart. An object,
/// because it is passed on often; it never changes.
final class ResponseHead: Sendable {
    /// The URL that answered.
    let url: URL
    let status: Int
    /// The text behind the status; empty in HTTP/2.
    let reason: String
    /// `1.0`, `1.1`, `2` or `3`.
    let httpVersion: String
    let block: FieldBlock
    /// What the fields say about the body, read once.
    let framing: Framing

    init(url: URL, status: Int, reason: String = "", httpVersion: String = "1.1", block: FieldBlock) {
        self.url = url
        self.status = status
        self.reason = reason
        self.httpVersion = httpVersion
        self.block = block
        framing = Framing(block)
    }

    convenience init(
        url: URL, status: Int, reason: String = "", httpVersion: String = "1.1",
        fields: [(name: String, value: String)] = []
    ) {
        self.init(url: url, status: status, reason: reason, httpVersion: httpVersion, block: FieldBlock(fields))
    }

    var fields: [(name: String, value: String)] { block.fields }

    /// What names and values take in memory.
    var fieldByteCount: Int { block.byteCount }

    /// The values of `Location` with every byte escaped that is not ASCII.
    var locations: [String] { block.locations }

    /// Whether there is a field with that name, whatever its case.
    func hasField(_ name: StaticString) -> Bool { block.hasField(name) }

    /// Every value of the fields with that name, whatever its case, in order.
    func values(for name: String) -> [String] { block.values(for: name) }

    /// The values of the fields with that name, joined by ", "; nil when there is none.
    func value(for name: String) -> String? {
        let values = values(for: name)
        return values.count < 2 ? values.first : values.joined(separator: ", ")
    }

    /// The members of a field that is a list (RFC 9110, 5.6.1), in lower case, over all its lines.
    static func list(_ values: [String]) -> [String] {
        guard !values.isEmpty else { return [] }
        return values.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
            .map { Substring(FieldSyntax.trimmed($0)).lowercased() }.filter { !$0.isEmpty }
    }

    /// Foundation's form of the response; repeated fields are joined by ", ".
    func urlResponse() throws(NetworkingError) -> HTTPURLResponse {
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/" + httpVersion, headerFields: joinedFields)
        guard let response else {
            throw NetworkingError(.badServerResponse, "the response of \(url) has no form in Foundation")
        }
        return response
    }

    /// The fields by name; those that are repeated have the spelling of the first one.
    private var joinedFields: [String: String] {
        let fields = fields
        var joined = [String: String](minimumCapacity: fields.count)
        guard block.hasRepeatedNames else {
            for (name, value) in fields { joined[name] = value }
            return joined
        }
        var spelling: [String: String] = [:]
        for (name, value) in fields {
            let name = spelling[name.lowercased(), default: name]
            spelling[name.lowercased()] = name
            joined[name] = joined[name].map { $0 + ", " + value } ?? value
        }
        return joined
    }
}
