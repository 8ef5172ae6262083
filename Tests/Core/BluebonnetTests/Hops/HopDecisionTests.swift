// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetHTTP
@testable import BluebonnetNetwork

/// The decision that follows a response head, without a socket.
@Suite struct HopDecisionTests {
    /// The state of a hop sequence when the head arrives.
    struct Setting: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var url = "http://h/a"
        var headers: [String: String] = [:]
        var credential: String?
        var usesStorage = false
        var redirectLimit = 20
        var hasRedirectBlock = false
        var hasChallengeBlock = false
        var hasJar = false
        /// The number of bytes that have arrived of a body of 300 with the tag "v1".
        var interruptedByteCount: Int64?
        var hasInterruptedHead = false

        var testDescription: String { "\(method) \(url)" }

        func chain() throws -> HopChain {
            var request = URLRequest(url: try #require(URL(string: url)))
            request.httpMethod = method
            request.allHTTPHeaderFields = headers
            var options = TransferOptions()
            options.credential = credential.map { URLCredential(user: $0, password: "p", persistence: .none) }
            options.usesCredentialStorage = usesStorage
            options.maximumRedirectCount = redirectLimit
            if hasJar { options.cookieJar = CookieJar() }
            var plan = RequestPlan(request, options: ResolvedOptions(options))
            if hasRedirectBlock { plan.blocks.onRedirect = { _, proposed, _ in proposed } }
            if hasChallengeBlock { plan.blocks.onChallenge = { _, _ in .performDefault } }
            return HopChain(try PreparedRequest(plan))
        }

        func body() throws -> InterruptedBody {
            guard let interruptedByteCount else { return InterruptedBody() }
            let resumption = RangeResumption(
                offset: interruptedByteCount, validator: .entityTag("\"v1\""), totalByteCount: 300,
                responseURLDigest: PartialRecord.digest(of: try #require(URL(string: url))))
            return InterruptedBody(resumption: resumption, hasHead: hasInterruptedHead)
        }
    }

    private static func head(
        _ status: Int, _ fields: [(name: String, value: String)] = [], url: String = "http://h/a"
    ) throws -> ResponseHead {
        ResponseHead(url: try #require(URL(string: url)), statusCode: status, headers: HeaderFields(fields))
    }

    /// A decision as one line of text.
    private static func text(_ decision: HopDecision) -> String {
        switch decision {
        case .deliver(let continues): continues ? "deliver the rest" : "deliver"
        case .alreadyComplete: "already complete"
        case .send(.redirect(let request)): "\(request.method) \(request.url)"
        case .send(.sameRequest): "same request"
        case .send(.wholeBody): "whole body"
        case .send(.stored): "stored"
        case .ask(.redirect(let request)): "ask about \(request.method) \(request.url)"
        case .ask(.challenge(let challenge, let mayLookUp)): "ask \(challenge.scheme)\(mayLookUp ? " or storage" : "")"
        case .ask(.response): "ask about the response"
        case .fail(let error): error.code.rawValue
        }
    }

    private static func decide(
        _ setting: Setting, _ status: Int, _ fields: [(name: String, value: String)]
    ) throws -> String {
        var chain = try setting.chain()
        return text(chain.decision(on: try head(status, fields, url: setting.url), try setting.body()))
    }

    @Test(arguments: [false, true])
    func responseAnswerDeliversOrFails(continues: Bool) throws {
        var chain = try Setting().chain()
        let head = try Self.head(200)
        let delivered = chain.decision(after: .response(.deliver, continues: continues), on: head)
        #expect(Self.text(delivered) == (continues ? "deliver the rest" : "deliver"))
        let refusal = NetworkingError(.cancelled, "no")
        let failed = chain.decision(after: .response(.fail(refusal), continues: continues), on: head)
        #expect(Self.text(failed) == "cancelled")
    }

    // MARK: - Results and redirects

    @Test(arguments: [
        (200, nil, "deliver"), (204, nil, "deliver"), (404, nil, "deliver"), (500, "/b", "deliver"),
        (201, "/b", "deliver"), (304, nil, "deliver"), (304, "/b", "deliver"), (305, "/b", "deliver"),
        (300, nil, "deliver"), (300, "/b", "GET http://h/b"), (301, "/b", "GET http://h/b"),
        (302, "https://i/c", "GET https://i/c"), (307, "/b", "GET http://h/b"), (308, "/b#x", "GET http://h/b#x"),
        (302, nil, "badServerResponse"), (302, "ftp://h/", "redirectRefused"), (302, "/a", "tooManyRedirects"),
    ])
    func statusAndLocationDecideForAGET(status: Int, location: String?, expected: String) throws {
        let fields = location.map { [(name: "Location", value: $0)] } ?? []
        #expect(try Self.decide(Setting(), status, fields) == expected)
    }

    @Test(arguments: [
        (301, "GET http://h/b"), (302, "GET http://h/b"), (303, "GET http://h/b"), (307, "POST http://h/b"),
        (308, "POST http://h/b"), (300, "deliver"),
    ])
    func statusDecidesHowAPOSTContinues(status: Int, expected: String) throws {
        #expect(try Self.decide(Setting(method: "POST"), status, [("Location", "/b")]) == expected)
    }

    @Test func redirectIsTheResultIfNoneIsFollowed() throws {
        #expect(try Self.decide(Setting(redirectLimit: 0), 302, [("Location", "/b")]) == "deliver")
    }

    @Test func redirectBlockIsAskedOnlyAboutFollowedRedirects() throws {
        let setting = Setting(hasRedirectBlock: true)
        #expect(try Self.decide(setting, 302, [("Location", "/b")]) == "ask about GET http://h/b")
        #expect(try Self.decide(setting, 302, [("Location", "ftp://h/")]) == "redirectRefused")
        #expect(try Self.decide(setting, 200, [("Location", "/b")]) == "deliver")
    }

    @Test func newCookieAllowsARedirectBack() throws {
        let fields = [(name: "Location", value: "/a"), (name: "Set-Cookie", value: "a=1")]
        #expect(try Self.decide(Setting(hasJar: true), 302, fields) == "GET http://h/a")
        #expect(try Self.decide(Setting(hasJar: false), 302, fields) == "tooManyRedirects")
        // The caller's own Host field disables the jar.
        #expect(try Self.decide(Setting(headers: ["Host": "i"], hasJar: true), 302, fields) == "tooManyRedirects")
    }

    @Test func redirectsAreCountedWhenFollowed() throws {
        var chain = try Setting(redirectLimit: 1).chain()
        guard case .send(.redirect(let target)) = chain.decision(on: try Self.head(302, [("Location", "/b")])) else {
            Issue.record("the first redirect is followed")
            return
        }
        #expect(chain.redirectCount == 0)
        #expect(try chain.follow(target) == false)
        #expect(chain.redirectCount == 1)
        #expect(chain.request.url.absoluteString == "http://h/b")
        #expect(chain.lastRequest.urlRequest.url?.absoluteString == "http://h/b")
        let next = chain.decision(on: try Self.head(302, [("Location", "/c")], url: "http://h/b"))
        #expect(Self.text(next) == "tooManyRedirects")
    }

    // MARK: - Challenges

    private static let basic = [(name: "WWW-Authenticate", value: "Basic realm=\"r\"")]

    @Test(arguments: [
        (Setting(), "deliver"), (Setting(credential: "u"), "same request"),
        (Setting(credential: "u:v"), "deliver"),  // Basic cannot encode this user name
        (Setting(usesStorage: true), "ask basic or storage"),
        (Setting(credential: "u", usesStorage: true), "same request"),
        (Setting(credential: "u", hasChallengeBlock: true), "ask basic"),
        (Setting(usesStorage: true, hasChallengeBlock: true), "ask basic or storage"),
    ])
    func challengeUsesTheAvailableCredentialSources(setting: Setting, expected: String) throws {
        #expect(try Self.decide(setting, 401, Self.basic) == expected)
    }

    @Test func onlyAnAnswerable401IsAChallenge() throws {
        let setting = Setting(credential: "u")
        #expect(try Self.decide(setting, 401, []) == "deliver")
        #expect(try Self.decide(setting, 401, [("WWW-Authenticate", "Negotiate")]) == "deliver")
        #expect(try Self.decide(setting, 407, Self.basic) == "deliver")
        #expect(try Self.decide(setting, 200, Self.basic) == "deliver")
    }

    @Test func refusedCredentialIsNotSentAgain() throws {
        var chain = try Setting(credential: "u").chain()
        #expect(!chain.hasAuthenticated)
        #expect(Self.text(chain.decision(on: try Self.head(401, Self.basic))) == "same request")
        #expect(chain.hasAuthenticated)
        #expect(chain.headers(rangeFields: []).contains { $0.name == "Authorization" && $0.value == "Basic dTpw" })
        #expect(Self.text(chain.decision(on: try Self.head(401, Self.basic))) == "deliver")
    }

    @Test func staleNonceIsAnsweredOnceWithoutTheBlock() throws {
        let digest = "Digest realm=\"r\", nonce=\"1\", qop=\"auth\", algorithm=SHA-256"
        var chain = try Setting(hasChallengeBlock: true).chain()
        let first = try Self.head(401, [("WWW-Authenticate", digest)])
        guard case .ask(.challenge(let challenge, let mayLookUp)) = chain.decision(on: first) else {
            Issue.record("the block is asked")
            return
        }
        #expect(!mayLookUp)
        let credential = URLCredential(user: "u", password: "p", persistence: .none)
        let answer = HopDecision.Answer.challenge(.useCredential(credential), challenge, stored: nil)
        #expect(Self.text(chain.decision(after: answer, on: first)) == "same request")
        let stale = try Self.head(401, [("WWW-Authenticate", digest + ", stale=true")])
        #expect(Self.text(chain.decision(on: stale)) == "same request")
        #expect(Self.text(chain.decision(on: stale)) == "deliver")
    }

    @Test func redirectToAnotherOriginDropsTheCredential() throws {
        var chain = try Setting(credential: "u", usesStorage: true).chain()
        guard case .send(.redirect(let target)) = chain.decision(on: try Self.head(302, [("Location", "http://i/")]))
        else {
            Issue.record("the redirect is followed")
            return
        }
        #expect(try chain.follow(target))
        #expect(chain.origin?.host == "i")
        #expect(Self.text(chain.decision(on: try Self.head(401, Self.basic, url: "http://i/"))) == "deliver")
    }

    // MARK: - Answers

    private static func answered(
        _ answer: ChallengeAnswer, stored: URLCredential? = nil, credential: String? = nil
    ) throws -> String {
        var chain = try Setting(credential: credential, usesStorage: true, hasChallengeBlock: true).chain()
        let head = try head(401, basic)
        guard case .ask(.challenge(let challenge, _)) = chain.decision(on: head) else { return "no question" }
        return text(chain.decision(after: .challenge(answer, challenge, stored: stored), on: head))
    }

    @Test func challengeAnswerDecides() throws {
        let (good, bad) = (
            URLCredential(user: "u", password: "p", persistence: .none),
            URLCredential(user: "u:v", password: "p", persistence: .none)
        )
        #expect(try Self.answered(.cancel) == "authenticationRequired")
        #expect(try Self.answered(.useCredential(good)) == "same request")
        #expect(try Self.answered(.useCredential(bad), stored: good) == "deliver")
        #expect(try Self.answered(.performDefault) == "deliver")
        #expect(try Self.answered(.performDefault, stored: good) == "same request")
        #expect(try Self.answered(.performDefault, credential: "u") == "same request")
    }

    private static func redirected(
        from url: String = "http://h/a", to location: String, _ change: (inout URLRequest) throws -> Void
    ) throws -> HopDecision {
        var chain = try Setting(url: url, headers: ["Cookie": "c=1"], hasRedirectBlock: true).chain()
        let head = try head(302, [("Location", location)], url: url)
        guard case .ask(.redirect(let target)) = chain.decision(on: head) else { return .alreadyComplete }
        var request = target.urlRequest
        try change(&request)
        return chain.decision(after: .follow(request), on: head)
    }

    @Test func redirectBlockRequestIsCheckedLikeACallerRequest() throws {
        func decision(_ change: (inout URLRequest) throws -> Void) throws -> String {
            Self.text(try Self.redirected(from: "https://h/a", to: "/b", change))
        }
        #expect(try decision { _ in } == "GET https://h/b")
        #expect(try decision { $0.httpMethod = "PUT" } == "PUT https://h/b")
        #expect(try decision { $0.httpMethod = "A B" } == "invalidRequest")
        #expect(try decision { $0.url = nil } == "badURL")
        #expect(try decision { $0.url = URL(string: "http://h/b") } == "redirectRefused")
        #expect(try decision { $0.url = URL(string: "https://h/x/../y") } == "GET https://h/y")
    }

    @Test func proposedFieldsStayWithTheirOrigin() throws {
        func cookie(_ decision: HopDecision) -> String? {
            guard case .send(.redirect(let target)) = decision else { return "not sent" }
            return target.headers["Cookie"]
        }
        #expect(cookie(try Self.redirected(to: "/b") { _ in }) == "c=1")
        #expect(cookie(try Self.redirected(to: "/b") { $0.url = URL(string: "http://i/") }) == nil)
        #expect(cookie(try Self.redirected(to: "/b") { $0.setValue(nil, forHTTPHeaderField: "Cookie") }) == nil)
        let other = try Self.redirected(to: "/b") {
            $0.url = URL(string: "http://i/")
            $0.setValue("own=1", forHTTPHeaderField: "Cookie")
        }
        #expect(cookie(other) == "own=1")
    }

    @Test func redirectKeptByTheBlockIsTheResult() throws {
        var chain = try Setting(hasRedirectBlock: true).chain()
        let head = try Self.head(302, [("Location", "/b")])
        _ = chain.decision(on: head)
        #expect(Self.text(chain.decision(after: .deliver, on: head)) == "deliver")
        #expect(chain.redirectCount == 0)
    }

    // MARK: - Interrupted bodies

    @Test(arguments: [
        (200, nil, false, "deliver"), (206, "bytes 100-299/300", false, "deliver the rest"),
        (206, "bytes 0-299/300", false, "whole body"), (416, "bytes */300", true, "whole body"),
        (404, nil, false, "deliver"), (302, nil, false, "badServerResponse"),
    ])
    func rangeResponseIsChecked(status: Int, range: String?, hasHead: Bool, expected: String) throws {
        var fields = [(name: "ETag", value: "\"v1\"")]
        if let range { fields.append((name: "Content-Range", value: range)) }
        let setting = Setting(interruptedByteCount: 100, hasInterruptedHead: hasHead)
        #expect(try Self.decide(setting, status, fields) == expected)
    }

    @Test func completeBodyNeedsItsHead() throws {
        let fields = [(name: "ETag", value: "\"v1\""), (name: "Content-Range", value: "bytes */300")]
        let known = Setting(interruptedByteCount: 300, hasInterruptedHead: true)
        #expect(try Self.decide(known, 416, fields) == "already complete")
        #expect(try Self.decide(Setting(interruptedByteCount: 300), 416, fields) == "whole body")
        #expect(try Self.decide(Setting(), 416, fields) == "deliver")
    }
}
