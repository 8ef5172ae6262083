// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The header fields that a serializer adds, checked once for all requests that it makes, and in Foundation's form.
final class CheckedHeaders: Sendable {
    static let ofThisProcess = CheckedHeaders(DefaultHeaders.ofThisProcess)

    let headers: HeaderFields
    private let dictionary: Result<[String: String], NetworkingError>

    init(_ headers: HeaderFields) {
        self.headers = headers
        dictionary = Result { () throws(NetworkingError) in
            for field in headers.fields { try RequestCheck.field(name: field.name, value: field.value) }
            return headers.dictionary
        }
    }

    /// The fields by name.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when one of them cannot be sent.
    func byName() throws(NetworkingError) -> [String: String] { try dictionary.get() }

    /// Refuses one of the fields that cannot be sent.
    func check(_ field: HeaderFields.Field) throws(NetworkingError) {
        if case .failure = dictionary { try RequestCheck.field(name: field.name, value: field.value) }
    }
}
