// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Why an operation failed.
///
/// `code` is stable; `message` is for people. The request, the response and the body are set as far as the operation
/// got.
public struct NetworkingError: Error, Sendable {
    private struct Facts: Sendable {
        var code: Code
        var message: String
        var request: URLRequest?
        var response: HTTPURLResponse?
        var body: Data?
        var underlying: (any Error)?
    }

    /// Errors are seldom made and their place is often passed on empty: one word, whatever an error has to say.
    private var facts: Box<Facts>

    /// What happened.
    public var code: Code {
        get { facts.value.code }
        set { facts = facts.changed { $0.code = newValue } }
    }
    /// One sentence: what happened, to what, and what to do if that is known.
    public var message: String {
        get { facts.value.message }
        set { facts = facts.changed { $0.message = newValue } }
    }
    /// The request that failed: the last one sent, when redirects were followed.
    public var request: URLRequest? {
        get { facts.value.request }
        set { facts = facts.changed { $0.request = newValue } }
    }
    /// The response, when its head arrived.
    public var response: HTTPURLResponse? {
        get { facts.value.response }
        set { facts = facts.changed { $0.response = newValue } }
    }
    /// The body of a refused response, when it was kept in memory. With `unacceptableStatus` it may be a part of the
    /// body: `underlying` says why.
    public var body: Data? {
        get { facts.value.body }
        set { facts = facts.changed { $0.body = newValue } }
    }
    /// The error below this one: a `LibraryError` from libcurl or OpenSSL, a `POSIXError`, a serializer's error, or the
    /// `NetworkingError` of a refused response's body.
    public var underlying: (any Error)? {
        get { facts.value.underlying }
        set { facts = facts.changed { $0.underlying = newValue } }
    }

    /// Makes an error; everything but the code and the sentence is optional.
    public init(
        _ code: Code, _ message: String, request: URLRequest? = nil, response: HTTPURLResponse? = nil,
        body: Data? = nil, underlying: (any Error)? = nil
    ) {
        facts = Box(
            Facts(
                code: code, message: message, request: request, response: response, body: body,
                underlying: underlying))
    }

    /// Whether the same request, sent again later, could succeed: the network or the server was at fault, not the
    /// request.
    public var isTransient: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .notConnected: true
        case .unacceptableStatus: [408, 429, 500, 502, 503, 504].contains(response?.statusCode ?? 0)
        default: false
        }
    }
}

extension NetworkingError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { message }
    public var description: String { "\(code.rawValue): \(message)" }
}

/// A result code of libcurl or OpenSSL, with its text, for a bug report.
public struct LibraryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `libcurl`, `OpenSSL` or `zlib`.
    public let library: String
    /// The library's own code.
    public let code: Int
    /// The library's own text.
    public let text: String

    public var description: String { "\(library) \(code): \(text)" }

    package init(library: String, code: Int, text: String) {
        self.library = library
        self.code = code
        self.text = text
    }
}

extension NetworkingError {
    /// What happened: an open set, so that a new code breaks no program. The raw values are those of result lines.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The URL cannot be used: no scheme or host, or not http or https.
        public static let badURL = Code(rawValue: "badURL")
        /// The method, a header or the body cannot be sent.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// A `${…}` reference of a request line leads nowhere.
        public static let unresolvedReference = Code(rawValue: "unresolvedReference")
        /// The host's name has no address.
        public static let cannotFindHost = Code(rawValue: "cannotFindHost")
        /// No connection to the host or the proxy could be made.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// The connect, idle or total time ran out.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The connection ended before the response was complete.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The TLS handshake failed for another reason than trust.
        public static let secureConnectionFailed = Code(rawValue: "secureConnectionFailed")
        /// The server's certificate is not trusted.
        public static let serverNotTrusted = Code(rawValue: "serverNotTrusted")
        /// The server's certificate is trusted, but not pinned.
        public static let pinMismatch = Code(rawValue: "pinMismatch")
        /// The server refused the client's certificate.
        public static let clientCertificateRejected = Code(rawValue: "clientCertificateRejected")
        /// The proxy wants a credential, or the server has refused the given credential. (A 401 without a credential is
        /// an `unacceptableStatus`.)
        public static let authenticationRequired = Code(rawValue: "authenticationRequired")
        /// The response breaks the protocol, or its body is truncated.
        public static let badServerResponse = Code(rawValue: "badServerResponse")
        /// The response serializer does not accept the status, whatever happened to the body.
        public static let unacceptableStatus = Code(rawValue: "unacceptableStatus")
        /// The response serializer does not accept the content type.
        public static let unacceptableContentType = Code(rawValue: "unacceptableContentType")
        /// The content coding (gzip, deflate) is broken or unknown.
        public static let cannotDecodeBody = Code(rawValue: "cannotDecodeBody")
        /// The response serializer cannot parse the body.
        public static let cannotParseResponse = Code(rawValue: "cannotParseResponse")
        /// The body does not have the expected digest.
        public static let digestMismatch = Code(rawValue: "digestMismatch")
        /// More redirects than allowed, or a cycle of redirects.
        public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
        /// A redirect leads to a target that the rules forbid.
        public static let redirectRefused = Code(rawValue: "redirectRefused")
        /// The body is larger than the limit, or expands too far.
        public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
        /// The response's header section is larger than the limit.
        public static let headersTooLarge = Code(rawValue: "headersTooLarge")
        /// The file to write cannot be opened or created.
        public static let cannotOpenFile = Code(rawValue: "cannotOpenFile")
        /// The file cannot be written: disk full, size limit, or it cannot be moved into place.
        public static let cannotWriteFile = Code(rawValue: "cannotWriteFile")
        /// The file to send cannot be read, or changed while it was sent.
        public static let cannotReadFile = Code(rawValue: "cannotReadFile")
        /// A paused transfer cannot continue where it stopped.
        public static let resumeRefused = Code(rawValue: "resumeRefused")
        /// There is no network.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The response is not in the cache, and the request's cache policy forbids to load it.
        public static let notCached = Code(rawValue: "notCached")
        /// A body stream has to be sent a second time and cannot be made again. Request lines have no streams and never
        /// fail with this code.
        public static let bodyStreamExhausted = Code(rawValue: "bodyStreamExhausted")
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// What is waited for is in no queue and was not started. Only waiting calls fail with this code, never an
        /// operation.
        public static let notStarted = Code(rawValue: "notStarted")
        /// An operation that this one needed did not succeed.
        public static let dependencyFailed = Code(rawValue: "dependencyFailed")
        /// The security policy contradicts itself or its files cannot be used.
        public static let invalidSecurityPolicy = Code(rawValue: "invalidSecurityPolicy")
    }

    /// The nearest `URLError` code, for code that was written for URLSession.
    public var urlErrorCode: URLError.Code {
        Self.urlErrorCodes[code] ?? .unknown
    }

    private static let urlErrorCodes: [Code: URLError.Code] = [
        .badURL: .badURL, .invalidRequest: .badURL, .cannotFindHost: .cannotFindHost,
        .cannotConnect: .cannotConnectToHost, .timedOut: .timedOut, .connectionLost: .networkConnectionLost,
        .secureConnectionFailed: .secureConnectionFailed, .serverNotTrusted: .serverCertificateUntrusted,
        .pinMismatch: .serverCertificateUntrusted, .clientCertificateRejected: .clientCertificateRejected,
        .authenticationRequired: .userAuthenticationRequired, .badServerResponse: .badServerResponse,
        .unacceptableStatus: .badServerResponse, .unacceptableContentType: .cannotDecodeContentData,
        .cannotDecodeBody: .cannotDecodeRawData, .cannotParseResponse: .cannotParseResponse,
        .tooManyRedirects: .httpTooManyRedirects, .redirectRefused: .redirectToNonExistentLocation,
        .bodyTooLarge: .dataLengthExceedsMaximum, .cannotOpenFile: .cannotCreateFile,
        .cannotWriteFile: .cannotWriteToFile, .cannotReadFile: .cannotOpenFile,
        .bodyStreamExhausted: .requestBodyStreamExhausted, .notConnected: .notConnectedToInternet,
        .cancelled: .cancelled, .notCached: .resourceUnavailable,
    ]
}
