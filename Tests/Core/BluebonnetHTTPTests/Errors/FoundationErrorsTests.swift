// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import BluebonnetHTTP

@Suite(.timeLimit(.minutes(1))) struct FoundationErrorsTests {
    typealias Code = NetworkingError.Code

    private static let url = NSURLErrorDomain
    private static let request = "com.alamofire.error.serialization.request"
    private static let response = "com.alamofire.error.serialization.response"

    /// Every code of the library, with AFNetworking's domain and the number of Foundation's `NSURLError…` code.
    private static let table: [(code: Code, name: String, domain: String, number: Int)] = [
        (.badURL, "badURL", url, -1000),
        (.invalidRequest, "invalidRequest", request, -1016),
        (.unresolvedReference, "unresolvedReference", request, -1016),
        (.cannotFindHost, "cannotFindHost", url, -1003),
        (.cannotConnect, "cannotConnect", url, -1004),
        (.originUnavailable, "originUnavailable", url, -1004),
        (.timedOut, "timedOut", url, -1001),
        (.connectionLost, "connectionLost", url, -1005),
        (.secureConnectionFailed, "secureConnectionFailed", url, -1200),
        (.serverNotTrusted, "serverNotTrusted", url, -1202),
        (.pinMismatch, "pinMismatch", url, -1202),
        (.clientCertificateRejected, "clientCertificateRejected", url, -1205),
        (.authenticationRequired, "authenticationRequired", url, -1013),
        (.badServerResponse, "badServerResponse", url, -1011),
        (.unacceptableStatus, "unacceptableStatus", response, -1011),
        (.unacceptableContentType, "unacceptableContentType", response, -1016),
        (.cannotDecodeBody, "cannotDecodeBody", url, -1015),
        (.cannotParseResponse, "cannotParseResponse", response, -1017),
        (.digestMismatch, "digestMismatch", response, -1016),
        (.retryAfterTooLong, "retryAfterTooLong", response, -1011),
        (.tooManyRedirects, "tooManyRedirects", url, -1007),
        (.redirectRefused, "redirectRefused", url, -1010),
        (.bodyTooLarge, "bodyTooLarge", url, -1103),
        (.headersTooLarge, "headersTooLarge", url, -1103),
        (.cannotOpenFile, "cannotOpenFile", url, -3000),
        (.cannotWriteFile, "cannotWriteFile", url, -3003),
        (.cannotReadFile, "cannotReadFile", url, -3001),
        (.resumeRefused, "resumeRefused", url, -3006),
        (.notConnected, "notConnected", url, -1009),
        (.notCached, "notCached", url, -1008),
        (.bodyStreamExhausted, "bodyStreamExhausted", url, -1021),
        (.cancelled, "cancelled", url, -999),
        (.notStarted, "notStarted", url, -1),
        (.dependencyFailed, "dependencyFailed", url, -1008),
        (.mayHaveBeenSent, "mayHaveBeenSent", url, -1005),
        (.workerLost, "workerLost", url, -1005),
        (.duplicateLine, "duplicateLine", url, -1008),
        (.tooManyPages, "tooManyPages", response, -1103), (.paginationLoop, "paginationLoop", response, -1011),
        (.tooManyElements, "tooManyElements", response, -1103),
        (.assertionFailed, "assertionFailed", response, -1011),
        (.conditionNotMet, "conditionNotMet", response, -1001),
        (.streamFailed, "streamFailed", response, -1005),
        (.invalidSecurityPolicy, "invalidSecurityPolicy", url, -1200),
    ]

    @Test func userInfoHasURLStringAndFailureReason() throws {
        let context = EncodingError.Context(codingPath: [], debugDescription: "no number")
        let request = URLRequest(url: try #require(URL(string: "http://h/a?b")))
        let underlying = EncodingError.invalidValue(1, context)
        let error = NetworkingError(.invalidRequest, "m", request: request, underlying: underlying).nsError
        #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == "http://h/a?b")
        #expect(error.localizedFailureReason == "no number")
        #expect(NetworkingError(.invalidRequest, "m").failureReason == "m")
        #expect(NetworkingError(.timedOut, "m").failureReason == nil)
        let refusal = LibraryError(library: "libcurl", code: 7, text: "t")
        #expect(NetworkingError(.cannotConnect, "m", underlying: refusal).nsError.localizedFailureReason == "t")
    }

    @Test func everyCodeMapsToItsNameDomainAndNumber() {
        for row in Self.table {
            let error = NetworkingError(row.code, "m")
            #expect(row.code.rawValue == row.name)
            #expect(error.urlErrorCode.rawValue == row.number, "\(row.name)")
            #expect(error.urlError.code.rawValue == row.number, "\(row.name)")
            #expect(error.nsError.domain == row.domain, "\(row.name)")
            #expect(error.nsError.code == row.number, "\(row.name)")
            #expect((error as NSError).code == row.number, "\(row.name)")
        }
    }

    /// The source declares each code on its own line.
    @Test func everyDeclaredCodeIsInTable() throws {
        let file =
            #filePath.components(separatedBy: "/Tests/")[0]
            + "/Sources/Core/BluebonnetHTTP/Errors/NetworkingErrorCode.swift"
        let source = try String(contentsOfFile: file, encoding: .utf8)
        let names = source.split(separator: "\n").filter { $0.contains(" = Code(rawValue: ") }
            .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
        #expect(names.count > 30)
        #expect(names.sorted() == Self.table.map(\.name).sorted())
    }

    @Test func unlistedCodeMapsToUnknown() {
        let error = NetworkingError(Code(rawValue: "fromTheFuture"), "m")
        #expect(error.nsError.domain == NSURLErrorDomain)
        #expect(error.nsError.code == URLError.unknown.rawValue)
    }

    @Test func userInfoHasAFNetworkingKeys() throws {
        let url = try #require(URL(string: "http://h/p?token=t"))
        let response = HTTPURLResponse(url: url, statusCode: 500, httpVersion: "HTTP/1.1", headerFields: nil)
        let inner = NetworkingError(.unacceptableContentType, "type")
        let error = NetworkingError(
            .unacceptableStatus, "m", request: URLRequest(url: url), response: response, body: Data("b".utf8),
            underlying: inner)
        for info in [error.nsError.userInfo, (error as NSError).userInfo, error.urlError.userInfo] {
            #expect(info[NSLocalizedDescriptionKey] as? String == "m")
            #expect(info[NSURLErrorFailingURLErrorKey] as? URL == url)
            #expect(info["com.alamofire.serialization.request.error.response"] as? URLRequest == URLRequest(url: url))
            #expect(info["com.alamofire.serialization.response.error.response"] as? HTTPURLResponse === response)
            #expect(info["com.alamofire.serialization.response.error.data"] as? Data == Data("b".utf8))
            let underlying = info[NSUnderlyingErrorKey] as? NSError
            #expect(underlying?.domain == Self.response && underlying?.code == -1016)
        }
        #expect(error.urlError.failingURL == url)
        #expect(NetworkingError(.badURL, "m").nsError.userInfo.count == 1)
    }

    /// The casts that Swift supports on Linux. If a toolchain supports more, the documentation of `nsError` must
    /// change.
    @Test func castsOnLinuxAreAsDocumented() {
        let error: any Error = NetworkingError(.unacceptableStatus, "m")
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect(error as? URLError == nil)
    }

    @Test func timeLimitsHaveStableNames() {
        let limits: [NetworkingError.TimeLimit] = [.connect, .idle, .total, .connectivity, .refusedBody]
        #expect(limits.map(\.rawValue) == ["connect", "idle", "total", "connectivity", "refusedBody"])
        #expect(NetworkingError.timeLimit(.idle, "m").code == .timedOut)
        #expect(NetworkingError.timeLimit(.idle, "m").timeLimit == .idle)
        #expect(NetworkingError(.timedOut, "m").timeLimit == nil)
    }
}
