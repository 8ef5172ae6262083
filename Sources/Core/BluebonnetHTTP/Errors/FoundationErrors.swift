// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

// The error for code that was written for Foundation's and AFNetworking's errors.
extension NetworkingError {
    /// AFNetworking's `AFURLRequestSerializationErrorDomain`: the request could not be made.
    public static let requestSerializationErrorDomain = "com.alamofire.error.serialization.request"
    /// AFNetworking's `AFURLResponseSerializationErrorDomain`: the response was refused or could not be read.
    public static let responseSerializationErrorDomain = "com.alamofire.error.serialization.response"
    /// AFNetworking's `AFNetworkingOperationFailingURLRequestErrorKey`: the `URLRequest`.
    public static let failingRequestErrorKey = "com.alamofire.serialization.request.error.response"
    /// AFNetworking's `AFNetworkingOperationFailingURLResponseErrorKey`: the `HTTPURLResponse`.
    public static let failingResponseErrorKey = "com.alamofire.serialization.response.error.response"
    /// AFNetworking's `AFNetworkingOperationFailingURLResponseDataErrorKey`: the response's body as `Data`.
    public static let failingResponseDataErrorKey = "com.alamofire.serialization.response.error.data"

    /// Foundation's `NSErrorPeerCertificateChainKey`: the certificates that the server presented, in DER, as `[Data]`.
    public static let serverCertificatesErrorKey = "NSErrorPeerCertificateChainKey"

    /// The error domain of a code in AFNetworking.
    private enum Domain {
        case url, request, response

        var name: String {
            switch self {
            case .url: NSURLErrorDomain
            case .request: NetworkingError.requestSerializationErrorDomain
            case .response: NetworkingError.responseSerializationErrorDomain
            }
        }
    }

    /// Maps every code of the library to the domain and the number in Foundation and AFNetworking.
    private static let table: [Code: (domain: Domain, code: URLError.Code)] = [
        // The request.
        .badURL: (.url, .badURL),
        .invalidRequest: (.request, .cannotDecodeContentData),
        .unresolvedReference: (.request, .cannotDecodeContentData),
        .invalidSecurityPolicy: (.url, .secureConnectionFailed),
        .bodyStreamExhausted: (.url, .requestBodyStreamExhausted),
        .cannotReadFile: (.url, .cannotOpenFile),
        // The connection.
        .cannotFindHost: (.url, .cannotFindHost),
        .cannotConnect: (.url, .cannotConnectToHost),
        .notConnected: (.url, .notConnectedToInternet),
        .originUnavailable: (.url, .cannotConnectToHost),
        .timedOut: (.url, .timedOut),
        .connectionLost: (.url, .networkConnectionLost),
        .secureConnectionFailed: (.url, .secureConnectionFailed),
        .serverNotTrusted: (.url, .serverCertificateUntrusted),
        .pinMismatch: (.url, .serverCertificateUntrusted),
        .clientCertificateRejected: (.url, .clientCertificateRejected),
        .authenticationRequired: (.url, .userAuthenticationRequired),
        .tooManyRedirects: (.url, .httpTooManyRedirects),
        .redirectRefused: (.url, .redirectToNonExistentLocation),
        .resumeRefused: (.url, .downloadDecodingFailedMidStream),
        // The response.
        .badServerResponse: (.url, .badServerResponse),
        .headersTooLarge: (.url, .dataLengthExceedsMaximum),
        .bodyTooLarge: (.url, .dataLengthExceedsMaximum),
        .cannotDecodeBody: (.url, .cannotDecodeRawData),
        .cannotOpenFile: (.url, .cannotCreateFile),
        .cannotWriteFile: (.url, .cannotWriteToFile),
        .unacceptableStatus: (.response, .badServerResponse),
        .unacceptableContentType: (.response, .cannotDecodeContentData),
        .cannotParseResponse: (.response, .cannotParseResponse),
        .digestMismatch: (.response, .cannotDecodeContentData),
        .tooManyPages: (.response, .dataLengthExceedsMaximum),
        .paginationLoop: (.response, .badServerResponse),
        .tooManyElements: (.response, .dataLengthExceedsMaximum),
        .assertionFailed: (.response, .badServerResponse),
        .conditionNotMet: (.response, .timedOut),
        .streamFailed: (.response, .networkConnectionLost),
        .retryAfterTooLong: (.response, .badServerResponse),
        // Outside a transfer.
        .notCached: (.url, .resourceUnavailable),
        .cancelled: (.url, .cancelled),
        .notStarted: (.url, .unknown),
        .dependencyFailed: (.url, .resourceUnavailable),
        .mayHaveBeenSent: (.url, .networkConnectionLost),
        .workerLost: (.url, .networkConnectionLost),
        .duplicateLine: (.url, .resourceUnavailable),
    ]

    /// The nearest `URLError` code, for code that was written for URLSession. `unknown` for a code that the library
    /// does not define.
    public var urlErrorCode: URLError.Code { Self.table[code]?.code ?? .unknown }

    /// The error as a `URLError`, with the same user information as ``nsError``.
    ///
    /// `error as? URLError` is nil on Linux, where Swift does not convert an error to another type; use this property
    /// instead.
    public var urlError: URLError { URLError(urlErrorCode, userInfo: errorUserInfo) }

    /// The error as AFNetworking reports it: code, domain and user information.
    ///
    /// The domain is ``requestSerializationErrorDomain`` for `invalidRequest` and `unresolvedReference`,
    /// ``responseSerializationErrorDomain`` for a refused or unreadable response, and `NSURLErrorDomain` for all other
    /// errors.
    ///
    /// `error as NSError` gives the same code and user information, but always `NSURLErrorDomain`: on Linux, that cast
    /// supports one domain for each type. The user information contains the request's URL and the response unchanged,
    /// including secrets. Log the error itself instead: its text is redacted.
    public var nsError: NSError {
        NSError(domain: Self.table[code]?.domain.name ?? NSURLErrorDomain, code: errorCode, userInfo: errorUserInfo)
    }
}

extension NetworkingError: CustomNSError {
    /// `NSURLErrorDomain`. Use ``nsError`` for AFNetworking's domains.
    public static var errorDomain: String { NSURLErrorDomain }

    /// The raw value of ``urlErrorCode``.
    public var errorCode: Int { urlErrorCode.rawValue }

    /// The message, the failure reason, the URL as a `URL` and as text, the server's certificates, the underlying
    /// error, and AFNetworking's request, response and body. Values that the error does not have are missing.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let url = request?.url ?? response?.url {
            info[NSURLErrorFailingURLErrorKey] = url
            info["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        info[NSLocalizedFailureReasonErrorKey] = failureReason
        if !serverCertificates.isEmpty { info[Self.serverCertificatesErrorKey] = serverCertificates }
        info[Self.failingRequestErrorKey] = request
        info[Self.failingResponseErrorKey] = response
        info[Self.failingResponseDataErrorKey] = body
        if let error = underlying as? NetworkingError {
            info[NSUnderlyingErrorKey] = error.nsError
        } else if let underlying {
            info[NSUnderlyingErrorKey] = underlying as NSError
        }
        return info
    }
}
