// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// The error of a failed operation.
///
/// `code` is stable; `message` is for people. The request, the response and the body are set if the operation had them
/// when it failed. `description` is for logs:
///
///     unacceptableStatus: the server answered with status 404: no such user (GET https://h.test/users/1, transfer 1)
///
/// `error as NSError` and `urlError` are for code that was written for Foundation's and AFNetworking's errors; see
/// ``nsError`` for the limits of Swift's casts on Linux.
public struct NetworkingError: Error, Sendable {
    private struct Facts: Sendable {
        var code: Code
        var message: String
        var request: URLRequest?
        var response: HTTPURLResponse?
        var body: Data?
        var underlying: (any Error)?
        var transferCount = 0
        var timeLimit: TimeLimit?
        var retries: [RetriedAttempt] = []
        var retryDate: Date?
        var proxyStatusCode: Int?
        var bodyExcerpt: String?
        var serverCertificates: [Data] = []
    }

    /// Errors are rare, but optional errors without a value are passed on often. A box keeps them at the size of one
    /// word.
    private var facts: Box<Facts>

    /// The kind of failure.
    public var code: Code {
        get { facts.value.code }
        set { facts = facts.changed { $0.code = newValue } }
    }
    /// One sentence: what happened, to what, and a remedy if one is known.
    public var message: String {
        get { facts.value.message }
        set { facts = facts.changed { $0.message = newValue } }
    }
    /// The request that failed. If redirects were followed, the last request that was sent.
    public var request: URLRequest? {
        get { facts.value.request }
        set { facts = facts.changed { $0.request = newValue } }
    }
    /// The response, if its head arrived.
    public var response: HTTPURLResponse? {
        get { facts.value.response }
        set { facts = facts.changed { $0.response = newValue } }
    }
    /// The status of the response, if its head arrived.
    public var statusCode: Int? { response?.statusCode }
    /// The body of a refused response, if it was kept in memory. With `unacceptableStatus` the body may be incomplete;
    /// `underlying` then contains the reason.
    public var body: Data? {
        get { facts.value.body }
        set { facts = facts.changed { $0.body = newValue } }
    }
    /// The underlying error: a `LibraryError` from libcurl or OpenSSL, a `POSIXError`, a serializer's error, or the
    /// `NetworkingError` of a refused response's body.
    public var underlying: (any Error)? {
        get { facts.value.underlying }
        set { facts = facts.changed { $0.underlying = newValue } }
    }

    /// The number of transfers until the operation failed, including redirects, answers to challenges and
    /// continuations. 0 if nothing was sent, and for an error that does not come from an operation.
    public var transferCount: Int {
        get { facts.value.transferCount }
        set { facts = facts.changed { $0.transferCount = newValue } }
    }
    /// The time limit that has passed; nil for other errors.
    public var timeLimit: TimeLimit? {
        get { facts.value.timeLimit }
        set { facts = facts.changed { $0.timeLimit = newValue } }
    }
    /// The attempts before the last attempt, in order, if the operation has a retry policy; empty after a single
    /// attempt.
    public var retries: [RetriedAttempt] {
        get { facts.value.retries }
        set { facts = facts.changed { $0.retries = newValue } }
    }
    /// When the server asks for a retry, or when its origin will be tried again, by this machine's clock. Set with
    /// `retryAfterTooLong` and `originUnavailable`, otherwise nil.
    public var retryDate: Date? {
        get { facts.value.retryDate }
        set { facts = facts.changed { $0.retryDate = newValue } }
    }

    /// The status with which a proxy refused to establish a tunnel (CONNECT; RFC 9110, 9.3.6); nil without such a
    /// refusal.
    public var proxyStatusCode: Int? {
        get { facts.value.proxyStatusCode }
        set { facts = facts.changed { $0.proxyStatusCode = newValue } }
    }

    /// The certificates that the server presented, in DER, its own certificate first, if they caused the failure
    /// (`serverNotTrusted`, `pinMismatch`); otherwise empty. `ServerCertificate` parses them.
    public var serverCertificates: [Data] {
        get { facts.value.serverCertificates }
        set { facts = facts.changed { $0.serverCertificates = newValue } }
    }

    /// The beginning of a refused response's text for `description`, on one line and without secrets.
    package var bodyExcerpt: String? {
        get { facts.value.bodyExcerpt }
        set { facts = facts.changed { $0.bodyExcerpt = newValue } }
    }

    /// Makes an error. Everything except the code and the message is optional.
    public init(
        _ code: Code, _ message: String, request: URLRequest? = nil, response: HTTPURLResponse? = nil,
        body: Data? = nil, underlying: (any Error)? = nil
    ) {
        facts = Box(
            Facts(
                code: code, message: message, request: request, response: response, body: body,
                underlying: underlying))
    }

    /// Makes the error of a time limit that has passed.
    package static func timeLimit(_ limit: TimeLimit, _ message: String, code: Code = .timedOut) -> NetworkingError {
        var error = NetworkingError(code, message)
        error.timeLimit = limit
        return error
    }

    /// Whether the same request could succeed later, because the network or the server caused the failure and not the
    /// request. A proxy that refuses a tunnel with a status other than 408, 425, 429, 500, 502, 503 and 504 will refuse
    /// it again.
    public var isTransient: Bool {
        switch code {
        case .cannotConnect where isRefusedByProxy: false
        case .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .notConnected, .retryAfterTooLong,
            .originUnavailable:
            true
        case .unacceptableStatus: Self.transientStatusCodes.contains(response?.statusCode ?? 0)
        default: false
        }
    }

    /// Whether a proxy has refused to establish a tunnel and will refuse again, because it does not permit the client
    /// or the target.
    package var isRefusedByProxy: Bool { proxyStatusCode.map { !Self.transientStatusCodes.contains($0) } ?? false }

    private static let transientStatusCodes = [408, 425, 429, 500, 502, 503, 504]
}

extension NetworkingError: LocalizedError, CustomStringConvertible {
    /// The message alone, as in `localizedDescription`.
    public var errorDescription: String? { message }

    /// The reason of the failure: the reason given by the underlying error, otherwise the message if the request could
    /// not be made; nil without a reason.
    public var failureReason: String? {
        switch underlying {
        case EncodingError.invalidValue(_, let context)?: context.debugDescription
        case let error as NetworkingError: error.message
        case let error as LibraryError: error.text
        case let error as POSIXError: error.localizedDescription
        default: code == .invalidRequest || code == .unresolvedReference ? message : nil
        }
    }

    /// The code, the message, the first 200 characters of the text of a response with a status of 400 or more, the
    /// method, the URL and the number of the transfer. The URL contains no user information, no fragment, and no values
    /// of query parameters with secret names. Values of JSON members with secret names are removed too.
    public var description: String {
        let message = bodyExcerpt.map { "\(self.message): \($0)" } ?? self.message
        guard let url = request?.url?.absoluteString else { return "\(code.rawValue): \(message)" }
        let transfer = transferCount > 0 ? ", transfer \(transferCount)" : ""
        let shown = Redaction.url(url)
        return "\(code.rawValue): \(message) (\(request?.httpMethod ?? "GET") \(shown)\(transfer))"
    }
}

/// A result code of libcurl or OpenSSL with its text, for bug reports.
public struct LibraryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `libcurl`, `OpenSSL` or `zlib`.
    public let library: String
    /// The library's result code.
    public let code: Int
    /// The library's text for the code.
    public let text: String

    public var description: String { "\(library) \(code): \(text)" }

    package init(library: String, code: Int, text: String) {
        self.library = library
        self.code = code
        self.text = text
    }
}
