// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import BluebonnetHTTP

@Suite(.timeLimit(.minutes(1))) struct NetworkingErrorTests {
    typealias Code = NetworkingError.Code

    @Test func unlistedCodeSurvivesCoding() throws {
        let code = Code(rawValue: "fromTheFuture")
        #expect(NetworkingError(code, "m").urlErrorCode == .unknown)
        let decoded = try JSONDecoder().decode([Code].self, from: JSONEncoder().encode([code]))
        #expect(decoded == [code])
    }

    @Test(
        arguments: [
            (.cannotFindHost, nil, true), (.cannotConnect, nil, true), (.timedOut, nil, true),
            (.connectionLost, nil, true), (.notConnected, nil, true),
            (.unacceptableStatus, 408, true), (.unacceptableStatus, 425, true), (.unacceptableStatus, 429, true),
            (.unacceptableStatus, 500, true),
            (.unacceptableStatus, 502, true), (.unacceptableStatus, 503, true), (.unacceptableStatus, 504, true),
            (.unacceptableStatus, 400, false), (.unacceptableStatus, 404, false), (.unacceptableStatus, 501, false),
            (.unacceptableStatus, nil, false),
            (.badURL, nil, false), (.serverNotTrusted, nil, false), (.cancelled, nil, false),
            (.badServerResponse, 503, false), (.cannotParseResponse, nil, false), (.resumeRefused, nil, false),
        ] as [(Code, Int?, Bool)])
    func networkAndServerErrorsAreTransient(code: Code, status: Int?, isTransient: Bool) throws {
        let url = try #require(URL(string: "http://h/"))
        let response = status.flatMap {
            HTTPURLResponse(url: url, statusCode: $0, httpVersion: "HTTP/1.1", headerFields: nil)
        }
        #expect(NetworkingError(code, "m", response: response).isTransient == isTransient)
    }

    @Test func descriptionHasMethodRedactedURLAndTransferNumber() throws {
        var request = URLRequest(
            url: try #require(URL(string: "https://ada:pw@h:1/p?page=2&access_token=abc#part")))
        request.httpMethod = "PUT"
        var error = NetworkingError(.unacceptableStatus, "the server answered with status 404", request: request)
        let text =
            "unacceptableStatus: the server answered with status 404 (PUT "
            + "https://REDACTED@h:1/p?page=2&access_token=REDACTED"
        #expect("\(error)" == text + ")")
        error.transferCount = 3
        #expect("\(error)" == text + ", transfer 3)")
        #expect(error.localizedDescription == "the server answered with status 404")
    }

    @Test func descriptionIsCodeAndMessage() {
        let error = NetworkingError(.timedOut, "nothing moved for 60 s")
        #expect("\(error)" == "timedOut: nothing moved for 60 s")
        #expect(error.localizedDescription == "nothing moved for 60 s")
        #expect(LibraryError(library: "libcurl", code: 28, text: "Timeout").description == "libcurl 28: Timeout")
    }
}
