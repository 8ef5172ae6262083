// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking
internal import Synchronization

// The response.
extension RequestOperation {
    /// The final response, once the operation is finished; nil when no response head arrived.
    public var response: HTTPURLResponse? {
        let (made, head) = shared.withLock { ($0.response, $0.result?.head) }
        guard made == nil, let response = try? head?.urlResponse() else { return made }
        return shared.withLock { state in
            state.response = state.response ?? response
            return state.response
        }
    }

    /// The status of the final response, once the operation is finished.
    public var statusCode: Int? { shared.withLock { $0.result?.head?.status } }

    /// The final response's header fields in the order of arrival, repeated fields included; empty before the operation
    /// is finished.
    public var responseFields: [(name: String, value: String)] {
        shared.withLock { $0.result?.head?.fields ?? [] }
    }

    /// The file with the body, once the operation has succeeded; nil when the body was not written to a file.
    public var downloadedFile: URL? { shared.withLock { $0.outcome?.downloadedFile } }

    /// The name that the response suggests for its body, once the operation is finished: that of `Content-Disposition`
    /// (RFC 6266), else the last component of the URL's path, else `download`. Nil without a response.
    ///
    /// The name is one path component of at most 255 bytes and safe to use: no separators, no control characters, no
    /// leading dots, no name that Windows keeps for a device.
    public var suggestedFileName: String? { responseHead.map(SuggestedFileName.name) }

    package var responseHead: ResponseHead? { shared.withLock { $0.result?.head } }

    /// The HTTP version of the final response: `1.0`, `1.1` or `2`.
    public var httpVersion: String? { shared.withLock { $0.result?.head?.httpVersion } }

    /// The decoded body, once the operation is finished; nil when there was none or it went to a file.
    public var responseData: Data? {
        shared.withLock { state in
            guard case .memory(let data)? = state.result?.content else { return nil }
            return data
        }
    }

    /// The encoding that the response's charset names, else UTF-8; nil before there is a response.
    public var responseStringEncoding: String.Encoding? {
        guard let head = responseHead else { return nil }
        return BodyEncoding.foundationEncoding(
            ofCharset: head.value(for: "Content-Type").flatMap(BodyEncoding.charset))
    }

    /// The body as text, in the encoding that the response's charset names, else UTF-8; nil when it is not such text.
    public var responseString: String? {
        guard let data = responseData else { return nil }
        let charset = responseHead?.value(for: "Content-Type").flatMap(BodyEncoding.charset)
        return BodyEncoding(ofText: data, charset: charset).text(of: data)
    }

    /// Why the operation failed; nil while it runs and when it succeeded.
    public var error: NetworkingError? { shared.withLock { $0.outcomeError } }

    /// The number of body bytes that arrived and were stored, after decoding; also when the operation failed.
    public var receivedByteCount: Int64 { shared.withLock { $0.result?.receivedByteCount ?? 0 } }

    /// Attempts, redirects and timings, once the operation is finished.
    public var summary: TransferSummary { shared.withLock { $0.result?.summary ?? TransferSummary() } }
}
