// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation
public import HTTPTypes

extension HTTPResponse {
    /// Makes a response of swift-http-types from the head of a response: the status, the reason phrase and the header
    /// fields. Characters of the phrase beyond ISO Latin 1 become spaces.
    ///
    /// - Throws: `badServerResponse` for a status outside of 0 to 999; `invalidRequest` as `HTTPFields.init(_:)`.
    public init(_ head: ResponseHead) throws(NetworkingError) {
        guard (0...999).contains(head.statusCode) else {
            throw NetworkingError(.badServerResponse, "the status \(head.statusCode) does not have three digits")
        }
        self.init(
            status: Status(code: head.statusCode, reasonPhrase: head.reasonPhrase),
            headerFields: try HTTPFields(head.headers))
    }

    /// Makes a response of swift-http-types from a response, without its value.
    ///
    /// - Throws: as `init(_:)` for a head.
    public init<Value>(_ response: Response<Value>) throws(NetworkingError) { try self.init(response.head) }
}

extension ResponseHead {
    /// Makes the head of a response from a response of swift-http-types, for instance for a test.
    ///
    /// - Parameters:
    ///   - response: the status, the reason phrase and the header fields.
    ///   - url: the URL of the response.
    public convenience init(_ response: HTTPResponse, url: URL) {
        self.init(
            url: url, statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase,
            headers: HeaderFields(response.headerFields))
    }
}
