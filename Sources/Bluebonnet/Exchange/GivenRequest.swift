// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import FoundationNetworking

/// A request as its caller gave it. The header fields of a manager's call stay apart from the `URLRequest` until
/// somebody asks for it: to set fields on a `URLRequest` takes several times as long as all else that is done with them
/// (benchmark `mixed`).
package struct GivenRequest: Sendable {
    /// Without the fields that stand apart.
    var bare: URLRequest
    /// All header fields of the request; nil where they are in `bare`.
    private(set) var fields: HeaderFields?

    package init(_ request: URLRequest) { bare = request }

    /// - Parameter fields: checked already.
    init(_ bare: URLRequest, fields: HeaderFields) { (self.bare, self.fields) = (bare, fields) }

    /// Whether the caller gave it a field of this name.
    func hasField(_ name: String) -> Bool {
        if let fields { return fields[name] != nil }
        return bare.value(forHTTPHeaderField: name) != nil
    }

    /// The request in Foundation's form.
    var urlRequest: URLRequest {
        guard let fields else { return bare }
        var request = bare
        for field in fields.combined { request.setValue(field.value, forHTTPHeaderField: field.name) }
        return request
    }
}
