// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Why an operation failed.
///
/// `code` is stable; `message` is for people. The request, the response and the body are set as far as the operation
/// got. The text of an error is for logs:
///
///     unacceptableStatus: the server answered with status 404: no such user (GET https://h.test/users/1, transfer 1)
///
/// `error as NSError` and `urlError` serve code that was written for Foundation's and AFNetworking's errors; see
/// ``nsError`` for what Swift's casts can do on Linux.
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
    /// The status of the response, when its head arrived.
    public var statusCode: Int? { response?.statusCode }
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

    /// The number of transfers until the operation failed, with redirects, answers to challenges and continuations. 0
    /// when nothing was sent, and for an error that comes from no operation.
    public var transferCount: Int {
        get { facts.value.transferCount }
        set { facts = facts.changed { $0.transferCount = newValue } }
    }
    /// Which time limit has passed; nil when the error is about something else.
    public var timeLimit: TimeLimit? {
        get { facts.value.timeLimit }
        set { facts = facts.changed { $0.timeLimit = newValue } }
    }
    /// The attempts before the last one, in order, when the operation has a retry policy; empty when there was one
    /// attempt.
    public var retries: [RetriedAttempt] {
        get { facts.value.retries }
        set { facts = facts.changed { $0.retries = newValue } }
    }
    /// When the server wants to be asked again, or its origin will be tried again, by this machine's clock. Set with
    /// `retryAfterTooLong` and `originUnavailable`, else nil.
    public var retryDate: Date? {
        get { facts.value.retryDate }
        set { facts = facts.changed { $0.retryDate = newValue } }
    }

    /// The status with which a proxy refused to make a tunnel (CONNECT; RFC 9110, 9.3.6); nil when none did.
    public var proxyStatusCode: Int? {
        get { facts.value.proxyStatusCode }
        set { facts = facts.changed { $0.proxyStatusCode = newValue } }
    }

    /// The certificates that the server showed, in DER, its own first, when they are why the operation failed
    /// (`serverNotTrusted`, `pinMismatch`); else empty. `ServerCertificate` reads them.
    public var serverCertificates: [Data] {
        get { facts.value.serverCertificates }
        set { facts = facts.changed { $0.serverCertificates = newValue } }
    }

    /// The beginning of a refused response's text, for `description`: one line without secrets.
    package var bodyExcerpt: String? {
        get { facts.value.bodyExcerpt }
        set { facts = facts.changed { $0.bodyExcerpt = newValue } }
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

    /// Makes the error of a time limit that has passed.
    package static func timeLimit(_ limit: TimeLimit, _ message: String, code: Code = .timedOut) -> NetworkingError {
        var error = NetworkingError(code, message)
        error.timeLimit = limit
        return error
    }

    /// Whether the same request, sent again later, could succeed: the network or the server was at fault, not the
    /// request. A proxy that refuses a tunnel with another status than 408, 425, 429, 500, 502, 503 and 504 will
    /// refuse it again.
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

    /// Whether a proxy has refused to make a tunnel, and will refuse again: it does not let the client, or not there.
    package var isRefusedByProxy: Bool { proxyStatusCode.map { !Self.transientStatusCodes.contains($0) } ?? false }

    private static let transientStatusCodes = [408, 425, 429, 500, 502, 503, 504]
}

extension NetworkingError: LocalizedError, CustomStringConvertible {
    /// The sentence alone, as `localizedDescription` gives it.
    public var errorDescription: String? { message }

    /// The reason of the failure: that of the underlying error, otherwise the message of a request that could not be
    /// made; nil without a reason.
    public var failureReason: String? {
        switch underlying {
        case EncodingError.invalidValue(_, let context)?: context.debugDescription
        case let error as NetworkingError: error.message
        case let error as LibraryError: error.text
        case let error as POSIXError: error.localizedDescription
        default: code == .invalidRequest || code == .unresolvedReference ? message : nil
        }
    }

    /// Code, sentence, the first 200 characters of the text of a response with a status of 400 or more, method, URL and
    /// the number of the transfer. The URL is without user information, fragment and the values of query parameters
    /// whose names say that they are secret; so are members of JSON.
    public var description: String {
        let message = bodyExcerpt.map { "\(self.message): \($0)" } ?? self.message
        guard let url = request?.url?.absoluteString else { return "\(code.rawValue): \(message)" }
        let transfer = transferCount > 0 ? ", transfer \(transferCount)" : ""
        let shown = Redaction.url(url)
        return "\(code.rawValue): \(message) (\(request?.httpMethod ?? "GET") \(shown)\(transfer))"
    }
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
