// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

/// The contents of an operation that another process can run or continue: request, limits, trust, proxy, serializer,
/// files, and the bytes received so far, with the validator that allows a continuation.
///
/// `RequestOperation.archive(includingSerializer:)` makes an archive; `init(archive:)` and managers make an operation
/// from it. An archive contains no handlers and blocks, which are code; no cookie jar and response cache, which
/// operations share; no key log, no `userInfo`, no dependencies, and not the outcome of a finished operation. For a
/// client identity it contains the paths of the files, never a key or a password. It contains everything else of the
/// operation, including `name`, `queuePriority` and credentials: protect it accordingly.
public struct OperationArchive: Codable, Sendable {
    let request: ArchivedRequest
    let options: ArchivedOptions
    /// Nil for a plain `RequestOperation`, and if the serializer was omitted.
    let serializer: SerializerRecord?
    /// The statuses that the call accepts; nil if the call uses the serializer's statuses.
    let acceptableStatusCodes: IndexSet?
    /// The type of an omitted serializer.
    let leftOutSerializer: String?
    let uploadFile: URL?
    let part: ArchivedPart?
    /// The output file. A partial body next to it is continued.
    public let outputFile: URL?
    let outputDirectory: OutputDirectory
    /// The number of body bytes received.
    public let receivedByteCount: Int64
    /// The strong validator of the partial body, in the form of `If-Range`; nil if the body cannot be continued.
    public let validator: String?
    /// The expected SHA-256 of the body, and whether the digest is computed without an expected value.
    let expectedDigest: String?
    let computesDigest: Bool
    /// Nil without a key, and in archives made before keys existed.
    let idempotencyKey: IdempotencyKey?
    let name: String?
    /// The number of the `queuePriority`.
    let priority: Int
}

/// The archived parts of a request.
struct ArchivedRequest: Codable, Sendable {
    private let url: URL
    private let method: String
    private let headers: [String: String]
    private let body: Data?
    private let timeout: TimeInterval
    private let cachePolicy: UInt
    private let handlesCookies: Bool
    private let allowsCellularAccess: Bool
    private let networkServiceType: UInt
    private let mainDocumentURL: URL?

    /// - Throws: `invalidRequest` if the body is a stream, which an archive cannot contain.
    init(_ request: URLRequest) throws(NetworkingError) {
        guard let url = request.url else {
            throw NetworkingError(.badURL, "a request without a URL cannot be archived")
        }
        guard request.httpBodyStream == nil else {
            throw NetworkingError(
                .invalidRequest, "a request with a body stream cannot be archived: use data or a file")
        }
        self.url = url
        method = request.httpMethod ?? "GET"
        headers = request.allHTTPHeaderFields ?? [:]
        body = request.httpBody
        timeout = request.timeoutInterval
        cachePolicy = request.cachePolicy.rawValue
        handlesCookies = request.httpShouldHandleCookies
        allowsCellularAccess = request.allowsCellularAccess
        networkServiceType = request.networkServiceType.rawValue
        mainDocumentURL = request.mainDocumentURL
    }

    var request: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body
        request.timeoutInterval = timeout
        request.cachePolicy = URLRequest.CachePolicy(rawValue: cachePolicy) ?? .useProtocolCachePolicy
        request.httpShouldHandleCookies = handlesCookies
        request.allowsCellularAccess = allowsCellularAccess
        request.networkServiceType = URLRequest.NetworkServiceType(rawValue: networkServiceType) ?? .default
        request.mainDocumentURL = mainDocumentURL
        return request
    }
}
