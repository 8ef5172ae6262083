// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import BluebonnetHTTP

@Suite(.timeLimit(.minutes(1))) struct NetworkingErrorTests {
    typealias Code = NetworkingError.Code

    /// Every code of the batch format, and the `URLError` code it becomes; `unknown` where none says anything like it.
    static let codes: [(name: String, code: Code, urlErrorCode: URLError.Code)] = [
        ("badURL", .badURL, .badURL),
        ("invalidRequest", .invalidRequest, .badURL),
        ("unresolvedReference", .unresolvedReference, .unknown),
        ("cannotFindHost", .cannotFindHost, .cannotFindHost),
        ("cannotConnect", .cannotConnect, .cannotConnectToHost),
        ("timedOut", .timedOut, .timedOut),
        ("connectionLost", .connectionLost, .networkConnectionLost),
        ("secureConnectionFailed", .secureConnectionFailed, .secureConnectionFailed),
        ("serverNotTrusted", .serverNotTrusted, .serverCertificateUntrusted),
        ("pinMismatch", .pinMismatch, .serverCertificateUntrusted),
        ("clientCertificateRejected", .clientCertificateRejected, .clientCertificateRejected),
        ("authenticationRequired", .authenticationRequired, .userAuthenticationRequired),
        ("badServerResponse", .badServerResponse, .badServerResponse),
        ("unacceptableStatus", .unacceptableStatus, .badServerResponse),
        ("unacceptableContentType", .unacceptableContentType, .cannotDecodeContentData),
        ("cannotDecodeBody", .cannotDecodeBody, .cannotDecodeRawData),
        ("cannotParseResponse", .cannotParseResponse, .cannotParseResponse),
        ("digestMismatch", .digestMismatch, .unknown),
        ("tooManyRedirects", .tooManyRedirects, .httpTooManyRedirects),
        ("redirectRefused", .redirectRefused, .redirectToNonExistentLocation),
        ("bodyTooLarge", .bodyTooLarge, .dataLengthExceedsMaximum),
        ("headersTooLarge", .headersTooLarge, .unknown),
        ("cannotOpenFile", .cannotOpenFile, .cannotCreateFile),
        ("cannotWriteFile", .cannotWriteFile, .cannotWriteToFile),
        ("cannotReadFile", .cannotReadFile, .cannotOpenFile),
        ("resumeRefused", .resumeRefused, .unknown),
        ("notConnected", .notConnected, .notConnectedToInternet),
        ("cancelled", .cancelled, .cancelled),
        ("dependencyFailed", .dependencyFailed, .unknown),
        ("invalidSecurityPolicy", .invalidSecurityPolicy, .unknown),
    ]

    @Test func everyCodeOfTheBatchFormatHasItsNameAndItsURLError() {
        for (name, code, urlErrorCode) in Self.codes {
            #expect(code.rawValue == name)
            #expect(NetworkingError(code, "m").urlErrorCode == urlErrorCode, "\(name)")
        }
        #expect(Set(Self.codes.map(\.name)).count == 30)
    }

    @Test func aCodeThatIsNotKnownSurvives() throws {
        let code = Code(rawValue: "fromTheFuture")
        #expect(NetworkingError(code, "m").urlErrorCode == .unknown)
        let decoded = try JSONDecoder().decode([Code].self, from: JSONEncoder().encode([code]))
        #expect(decoded == [code])
    }

    @Test(
        arguments: [
            (.cannotFindHost, nil, true), (.cannotConnect, nil, true), (.timedOut, nil, true),
            (.connectionLost, nil, true), (.notConnected, nil, true),
            (.unacceptableStatus, 408, true), (.unacceptableStatus, 429, true), (.unacceptableStatus, 500, true),
            (.unacceptableStatus, 502, true), (.unacceptableStatus, 503, true), (.unacceptableStatus, 504, true),
            (.unacceptableStatus, 400, false), (.unacceptableStatus, 404, false), (.unacceptableStatus, 501, false),
            (.unacceptableStatus, nil, false),
            (.badURL, nil, false), (.serverNotTrusted, nil, false), (.cancelled, nil, false),
            (.badServerResponse, 503, false), (.cannotParseResponse, nil, false), (.resumeRefused, nil, false),
        ] as [(Code, Int?, Bool)])
    func transientErrorsAreThoseOfTheNetworkOrTheServer(code: Code, status: Int?, isTransient: Bool) throws {
        let url = try #require(URL(string: "http://h/"))
        let response = status.flatMap {
            HTTPURLResponse(url: url, statusCode: $0, httpVersion: "HTTP/1.1", headerFields: nil)
        }
        #expect(NetworkingError(code, "m", response: response).isTransient == isTransient)
    }

    @Test func textOfAnErrorIsItsCodeAndSentence() {
        let error = NetworkingError(.timedOut, "nothing moved for 60 s")
        #expect("\(error)" == "timedOut: nothing moved for 60 s")
        #expect(error.localizedDescription == "nothing moved for 60 s")
        #expect(LibraryError(library: "libcurl", code: 28, text: "Timeout").description == "libcurl 28: Timeout")
    }
}
