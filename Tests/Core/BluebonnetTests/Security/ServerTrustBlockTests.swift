// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The program's block decides about a server.
    @Suite struct ServerTrustBlockTests {
        /// An operation with a block, and the challenges that the block received.
        private func asking(
            _ url: URL, _ options: TransferOptions = TransferOptions(), body: String? = nil,
            _ answer: @escaping @Sendable (ServerTrustChallenge) -> ServerTrustAnswer
        ) -> (RequestOperation, Observed<[ServerTrustChallenge]>) {
            let seen = Observed([ServerTrustChallenge]())
            let request = URLRequest(body == nil ? "GET" : "POST", url, body: body)
            let operation = RequestOperation(request: request, options: options)
            operation.onServerTrust = { _, challenge in
                seen.append(challenge)
                return answer(challenge)
            }
            return (operation, seen)
        }

        private func withServer(
            _ certificate: TestCertificate, _ body: (TestServer) async throws -> Void
        ) async throws {
            let server = try await TestServer.start(tls: certificate) { .response(body: "secret" + $0.path) }
            try await body(server)
            await server.stop()
        }

        @Test func blockReceivesTheChainAndThePolicyVerdict() async throws {
            try await withServer(.chained) { server in
                let (operation, seen) = asking(server.url(), try .trustingTestAuthority) { _ in .performDefault }
                #expect(await operation.run().responseString == "secret/")
                let challenge = try #require(seen.value.first)
                #expect(seen.value.count == 1)
                #expect((challenge.host, challenge.port) == ("127.0.0.1", server.port))
                let names = try [TestCertificate.chained, .intermediate, .root].map { try $0.der }
                #expect(challenge.presentedChain.map(\.der) == Array(names.prefix(2)))
                #expect(challenge.verifiedChain.map(\.der) == names)
                #expect(challenge.isTrustedByPolicy && challenge.namesHost)
            }
        }

        @Test(arguments: [TestCertificate.selfSigned, .expired, .wrongHost, .untrusted])
        func blockCanAcceptACertificateThatThePolicyRefuses(certificate: TestCertificate) async throws {
            try await withServer(certificate) { server in
                let (operation, seen) = asking(server.url("/path"), try .trustingTestAuthority, body: "body") {
                    challenge in
                    challenge.isTrustedByPolicy ? .refuse : .accept
                }
                #expect(await operation.run().responseString == "secret/path")
                #expect(seen.value.count == 1)
                #expect(seen.value.first?.policyRefusal?.code == .serverNotTrusted)
                #expect(server.requests.map(\.body) == [Data("body".utf8)])
                #expect(server.connectionCount == 2)  // one was closed before anything was sent
                #expect(operation.summary.transferCount == 2)
            }
        }

        @Test(arguments: [TestCertificate.localhost, .selfSigned])
        func requestIsNotSentWhenTheBlockRefuses(certificate: TestCertificate) async throws {
            try await withServer(certificate) { server in
                let (operation, _) = asking(server.url(), try .trustingTestAuthority) { _ in .refuse }
                #expect(await operation.run().code == .serverNotTrusted)
                #expect(operation.error?.underlying == nil)
                #expect(server.requests.isEmpty && server.connectionCount == 1)
            }
        }

        @Test func performDefaultFollowsThePolicy() async throws {
            try await withServer(.selfSigned) { server in
                let (operation, seen) = asking(server.url(), try .trustingTestAuthority) { _ in .performDefault }
                #expect(await operation.run().code == .serverNotTrusted)
                #expect(operation.error?.underlying is LibraryError)
                #expect(seen.value.count == 1 && server.connectionCount == 1)
            }
        }

        @Test func answerAppliesOnlyToItsOperation() async throws {
            try await withServer(.selfSigned) { server in
                let options = try TransferOptions.trustingTestAuthority
                let (accepting, _) = asking(server.url(), options) { _ in .accept }
                #expect(await accepting.run().error == nil)
                #expect(server.openConnectionCount == 1)
                // Without a block, with a block that refuses, and with one that leaves the decision to the policy.
                #expect(await get(server.url(), options).code == .serverNotTrusted)
                for answer in [ServerTrustAnswer.refuse, .performDefault] {
                    let (other, seen) = asking(server.url(), options) { _ in answer }
                    #expect(await other.run().code == .serverNotTrusted)
                    #expect(seen.value.count == 1)
                }
                #expect(server.requests.count == 1)
            }
        }

        @Test func blockIsAskedAgainAboutAnotherChain() async throws {
            let second = try await TestServer.start(tls: .untrusted) { _ in .response(body: "second") }
            let location = second.url().absoluteString
            let first = try await TestServer.start(tls: .selfSigned) { _ in .redirect(to: location) }
            let (operation, seen) = asking(first.url(), try .trustingTestAuthority) { challenge in
                challenge.presentedChain.first?.issuer == "CN=localhost" ? .accept : .refuse
            }
            #expect(await operation.run().code == .serverNotTrusted)
            #expect(seen.value.map(\.port) == [first.port, second.port])
            #expect(second.requests.isEmpty)
            await first.stop()
            await second.stop()
        }

        @Test func networkThreadContinuesWhileTheBlockDecides() async throws {
            try await withServer(.localhost) { server in
                let (asked, answered) = (Gate(), Gate())
                let operation = RequestOperation(
                    request: URLRequest(url: server.url()), options: try .trustingTestAuthority)
                operation.onServerTrust = { _, _ in
                    asked.open()
                    await answered.wait()
                    return .performDefault
                }
                operation.start()
                await asked.wait()
                #expect(try await get(server.url("/other"), .trustingTestAuthority).responseString == "secret/other")
                answered.open()
                try await operation.waitUntilEnded()
                #expect(operation.responseString == "secret/")
            }
        }

        @Test func operationMayBeCancelledOrPausedWhileTheBlockDecides() async throws {
            try await withServer(.localhost) { server in
                for isCancelled in [true, false] {
                    let (asked, answered) = (Gate(), Gate())
                    let operation = RequestOperation(
                        request: URLRequest(url: server.url()), options: try .trustingTestAuthority)
                    operation.onServerTrust = { _, _ in
                        asked.open()
                        await answered.wait()
                        return .accept
                    }
                    operation.start()
                    await asked.wait()
                    if isCancelled { operation.cancel() } else { operation.pause() }
                    answered.open()
                    if !isCancelled { operation.resume() }
                    try await operation.waitUntilEnded()
                    #expect(operation.code == (isCancelled ? .cancelled : nil))
                }
                #expect(server.requests.count == 1)
            }
        }

        @Test func copyAsksTheSameBlock() async throws {
            try await withServer(.selfSigned) { server in
                let (operation, seen) = asking(server.url()) { _ in .accept }
                #expect(await operation.run().error == nil)
                #expect(await operation.copied().run().error == nil)
                #expect(seen.value.count == 2)
            }
        }

        @Test func responseAcceptedByABlockIsNotCachedForOthers() async throws {
            let server = try await TestServer.start(tls: .selfSigned) { _ in
                .response(headers: ["Cache-Control": "max-age=600"], body: "evil")
            }
            var options = try TransferOptions.trustingTestAuthority
            options.responseCache = InMemoryResponseCache()
            let (operation, _) = asking(server.url(), options) { _ in .accept }
            #expect(await operation.run().error == nil)
            #expect(await get(server.url(), options).code == .serverNotTrusted)
            let (other, _) = asking(server.url(), options) { _ in .refuse }
            #expect(await other.run().code == .serverNotTrusted)
            await server.stop()
        }
    }

    /// Pins that are reported and not enforced.
    @Suite struct ReportOnlyPinTests {
        private func options(_ reportOnly: TestCertificate, expires: Date = .distantFuture) throws -> TransferOptions {
            try TransferOptions {
                $0.securityPolicy = try SecurityPolicy(
                    authorities: .file(TestCertificate.localhost.caPath),
                    reportOnlyPins: ReportOnlyPins(PinSet(certificateData: reportOnly.der), expires: expires))
            }
        }

        @Test func violationIsReportedAndTheRequestContinues() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response(body: "fine") }
            let reports = Observed([PinViolation]())
            for _ in 0..<2 {
                let operation = RequestOperation(
                    request: URLRequest(url: server.url()), options: try options(.otherKey))
                operation.onPinViolation = { _, violation in reports.append(violation) }
                let told = Gate()
                operation.completionBlock = { told.open() }
                #expect(await operation.run().responseString == "fine")
                await told.wait()  // on the same serial queue, after the reports
            }
            // Each operation gets a report, even if it reuses a connection.
            #expect(server.connectionCount == 1)
            #expect(reports.value.count == 2)
            let violation = try #require(reports.value.first)
            #expect((violation.host, violation.port) == ("127.0.0.1", server.port))
            #expect(try violation.presentedChain.map(\.der) == [TestCertificate.localhost.der])
            #expect(
                try violation.verifiedChain.map(\.der) == [TestCertificate.localhost.der, TestCertificate.root.der])
            await server.stop()
        }

        @Test func matchingOrExpiredPinsReportNothing() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            let manager = RequestOperationManager()
            let reports = Observed([PinViolation]())
            manager.onPinViolation = { _, violation in reports.append(violation) }
            manager.responseSerializer = HTTPResponseSerializer()
            for options in [
                try options(.localhost), try options(.root),
                try options(.otherKey, expires: Date(timeIntervalSince1970: 0)),
                try options(.otherKey),
            ] {
                manager.transferOptions = options
                let operation = manager.operation(with: URLRequest(url: server.url()))
                let told = Gate()
                operation.completionBlock = { told.open() }
                #expect(await operation.run().error == nil)
                await told.wait()
                #expect(
                    try reports.value.count
                        == (options.securityPolicy == (self.options(.otherKey)).securityPolicy ? 1 : 0))
            }
            await server.stop()
        }

        @Test func refusedServerIsNoViolation() async throws {
            let server = try await TestServer.start(tls: .untrusted) { _ in .response() }
            let operation = RequestOperation(request: URLRequest(url: server.url()), options: try options(.otherKey))
            let reports = Observed([PinViolation]())
            operation.onPinViolation = { _, violation in reports.append(violation) }
            let told = Gate()
            operation.completionBlock = { told.open() }
            #expect(await operation.run().code == .serverNotTrusted)
            await told.wait()
            #expect(reports.value.isEmpty)
            await server.stop()
        }
    }
}
