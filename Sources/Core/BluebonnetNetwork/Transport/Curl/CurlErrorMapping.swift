// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// Maps libcurl's result for a transfer to the error that users see. The only place that knows both sets of codes.
struct CurlErrorMapping {
    private let error: CurlError
    private let host: String
    /// The part of the message that names the proxy, if the request uses one.
    private let way: String
    /// The part of the message for a server that was expected to use HTTP/2 without negotiation.
    private let hint: String
    private let text: String
    private let isInsideHead: Bool
    private let hasAnswer: Bool
    private let isCutByMissingNotice: Bool
    private let isSent: Bool
    private let connectStatus: Int
    /// The error of a request that could not be sent because its head is too large.
    private let headError: NetworkingError?
    /// The reason why the transfer's last socket could not be opened; nil if it could.
    private let shortage: DescriptorShortage?

    init(_ machine: TransferMachine, _ handle: EasyHandle, error: CurlError, _ shortage: DescriptorShortage?) {
        (self.error, self.shortage) = (error, shortage)
        host = machine.request.hostName
        way = machine.request.poolKey.proxy.map { " through the proxy \($0.url)" } ?? ""
        let mayLackHTTP2 = machine.request.limits.httpVersion == .http2PriorKnowledge && !machine.response.hasBegun
        hint = mayLackHTTP2 && !machine.request.isSecure ? ", which may not support HTTP/2," : ""
        hasAnswer = machine.response.hasBegun
        isSent = machine.attempts.count > 0
        isInsideHead = hasAnswer && machine.response.head == nil
        let isTooLarge = LongLine.canExplain(error)
        let libraryText = handle.lastErrorText ?? error.text
        isCutByMissingNotice =
            MissingCloseNotice.isReported(libraryText) && machine.response.needsCloseNotice(of: machine.request)
        text = isTooLarge && isInsideHead ? "\(LongLine.sentence) (\(libraryText))" : libraryText
        connectStatus = handle.long(CURLINFO_HTTP_CONNECTCODE)
        headError = isTooLarge && !hasAnswer ? machine.request.assembledHeadError : nil
    }

    var networkingError: NetworkingError {
        let mayLackDescriptors = code == .cannotConnect || code == .cannotFindHost
        let shortage = mayLackDescriptors ? self.shortage ?? DescriptorShortage.current : nil
        var error = headError ?? NetworkingError(code, "\(sentence): \(shortage?.sentence ?? text)")
        error.underlying =
            shortage.map(POSIXError.init) ?? LibraryError(library: "libcurl", code: Int(self.error.code), text: text)
        if code == .timedOut { error.timeLimit = .connect }  // the only limit that libcurl is given
        if isRefusalOfProxy { error.proxyStatusCode = connectStatus }
        return error
    }

    private var code: NetworkingError.Code {
        if isAboutClientCertificate { return .clientCertificateRejected }
        if isRefusalOfProxy { return connectStatus == 407 ? .authenticationRequired : .cannotConnect }
        if error.code == CURLE_PARTIAL_FILE.rawValue && !hasAnswer { return .connectionLost }
        if error.code == CURLE_OUT_OF_MEMORY.rawValue && !isSent { return .cannotConnect }
        if let code = Self.codes[error.code] { return code }
        switch CURLcode(error.code) {
        case CURLE_RECV_ERROR: return receiveErrorCode
        case CURLE_HTTP2_STREAM where text.contains("REFUSED_STREAM"): return .connectionLost
        case CURLE_HTTP2_STREAM: return .badServerResponse
        default: return .connectionLost
        }
    }

    private var isRefusalOfProxy: Bool {
        guard connectStatus >= 300, !isSent else { return false }
        return RefusedTunnel.canExplain(error)
    }

    /// CURLE_RECV_ERROR is used for a lost connection, an invalid chunk, and a body that is cut off by the end of the
    /// TLS connection.
    private var receiveErrorCode: NetworkingError.Code {
        if isCutByMissingNotice { return .badServerResponse }
        if text.contains("chunked-encoding") { return .badServerResponse }
        if isInsideHead && text.contains("header") { return .headersTooLarge }
        return .connectionLost
    }

    /// Whether the server rejected the client's certificate. A server's alert about a certificate can only refer to
    /// the client's certificate (RFC 8446, 6.2). With TLS 1.3, the alert arrives after the handshake.
    private var isAboutClientCertificate: Bool {
        guard text.contains(" alert ") else { return false }
        return Self.certificateAlerts.contains { text.contains("alert \($0)") }
    }

    private static let certificateAlerts = [
        "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
        "certificate unknown", "unknown ca", "access denied", "certificate required",
    ]

    private var sentence: String {
        switch code {
        case .cannotFindHost where error.code == CURLE_COULDNT_RESOLVE_PROXY.rawValue:
            "no connection to \(host)\(way), whose name has no address"
        case .cannotFindHost: "the name \(host) has no address"
        case .cannotConnect: "no connection to \(host)\(way)"
        case .timedOut: "\(host) did not answer in time\(way)"
        case .serverNotTrusted: "the certificate of \(host) is not trusted"
        case .secureConnectionFailed: "no secure connection to \(host)"
        case .clientCertificateRejected: "\(host) rejected the client certificate, or requires one"
        case .badServerResponse: "\(host) violated the protocol or its body is truncated"
        case .connectionLost: "the connection to \(host)\(hint)\(way) was lost"
        case .headersTooLarge: "the response's header section from \(host) is too large"
        case .authenticationRequired: "no connection to \(host)\(way), which requires a credential"
        default: "the request to \(host) failed"
        }
    }

    private static let codes: [UInt32: NetworkingError.Code] = [
        CURLE_UNSUPPORTED_PROTOCOL.rawValue: .badServerResponse,  // HTTP/0.9 or garbage: URLs were checked before
        CURLE_URL_MALFORMAT.rawValue: .badURL,
        CURLE_COULDNT_RESOLVE_PROXY.rawValue: .cannotFindHost,
        CURLE_COULDNT_RESOLVE_HOST.rawValue: .cannotFindHost,
        CURLE_COULDNT_CONNECT.rawValue: .cannotConnect,
        CURLE_PROXY.rawValue: .cannotConnect,
        CURLE_WEIRD_SERVER_REPLY.rawValue: .badServerResponse,
        CURLE_PARTIAL_FILE.rawValue: .badServerResponse,
        CURLE_BAD_CONTENT_ENCODING.rawValue: .cannotDecodeBody,
        CURLE_OUT_OF_MEMORY.rawValue: .headersTooLarge,  // `LongLine`
        CURLE_OPERATION_TIMEDOUT.rawValue: .timedOut,
        CURLE_SSL_CONNECT_ERROR.rawValue: .secureConnectionFailed,
        CURLE_SSL_CIPHER.rawValue: .secureConnectionFailed,
        CURLE_SSL_CERTPROBLEM.rawValue: .invalidSecurityPolicy,
        CURLE_SSL_CACERT_BADFILE.rawValue: .invalidSecurityPolicy,
        CURLE_PEER_FAILED_VERIFICATION.rawValue: .serverNotTrusted,
        CURLE_SSL_ISSUER_ERROR.rawValue: .serverNotTrusted,
        CURLE_SSL_INVALIDCERTSTATUS.rawValue: .serverNotTrusted,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue: .pinMismatch,
        LongLine.tooLarge: .headersTooLarge,
    ]
}

extension LibraryResult {
    init(_ result: CURLcode, of handle: EasyHandle) {
        switch result {
        case CURLE_OK: self = .success
        case CURLE_PARTIAL_FILE: self = .partial
        case CURLE_HTTP2 where handle.hasShutDown, CURLE_RECV_ERROR where handle.hasShutDown: self = .partial
        case CURLE_HTTP2 where handle.lastErrorText == nil: self = .wentAway
        case CURLE_HTTP2_STREAM where handle.lastErrorText == nil: self = .streamEndedEarly
        default: self = .otherError
        }
    }
}

extension EasyHandle {
    /// Whether nghttp2 has ended the connection because of an error on it.
    fileprivate var hasShutDown: Bool { lastErrorText?.hasPrefix("nghttp2 shuts down connection") == true }
}
