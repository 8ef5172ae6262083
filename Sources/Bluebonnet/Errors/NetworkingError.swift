// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Why an operation failed.
///
/// `code` says what happened and is stable; `message` is for people. The request, the response and the body are there
/// as far as the operation got.
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
    private var facts: SharedValue<Facts>

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
    /// The body that came with a response that was refused, when it was kept in memory. With `unacceptableStatus`, what
    /// came of it: `underlying` says why that is not all.
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
        facts = SharedValue(
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

    init(library: String, code: Int, text: String) {
        self.library = library
        self.code = code
        self.text = text
    }
}
