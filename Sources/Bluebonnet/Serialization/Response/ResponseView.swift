// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// What the library's own serializers see of a response. Foundation's form of it is made when one asks for that: it
/// costs as much as parsing a small body.
enum ResponseView {
    case foundation(HTTPURLResponse)
    case head(ResponseHead)

    var contentType: String? {
        switch self {
        case .foundation(let response): response.value(forHTTPHeaderField: "Content-Type")
        case .head(let head): head.value(for: "Content-Type")
        }
    }

    func foundation() throws(NetworkingError) -> HTTPURLResponse {
        switch self {
        case .foundation(let response): response
        case .head(let head): try head.urlResponse()
        }
    }
}

/// A serializer of the library's that mostly does without Foundation's form of a response.
protocol ResponseViewSerializer: ResponseSerializer {
    /// Does what `value(for:body:)` does.
    func value(for response: ResponseView, body: Data) throws -> Value
}

extension ResponseViewSerializer {
    /// The value; what the serializer throws as a `NetworkingError`.
    func checkedValue(for head: ResponseHead, body: Data) throws(NetworkingError) -> any Sendable {
        try NetworkingError.unlessParsed { try value(for: .head(head), body: body) }
    }
}
