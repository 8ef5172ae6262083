// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RequestOperationTests {
    private let network = ScriptedNetwork()

    @Test func startedOperationDeliversTheResponse() async throws {
        network.answer("/a", with: [.head(200, ["Content-Type": "text/plain"]), .body("ab"), .body("c")])
        let operation = network.operation("/a")
        #expect(operation.isReady && !operation.isExecuting && !operation.isFinished)
        operation.start()
        await operation.ends()
        #expect(operation.isFinished && !operation.isExecuting && !operation.isReady && !operation.isCancelled)
        #expect(operation.error == nil)
        #expect(operation.statusCode == 200)
        #expect(operation.responseData == Data("abc".utf8))
        #expect(operation.responseObject as? Data == Data("abc".utf8))
        #expect(operation.responseString == "abc")
        #expect(operation.receivedByteCount == 3)
        #expect(operation.responseHeaders.map(\.name) == ["Content-Type"])
        #expect(operation.response?.statusCode == 200)
        #expect(operation.httpVersion == "1.1")
        #expect(operation.summary.transferCount == 1)
        #expect(operation.summary.redirectCount == 0)
        #expect(network.log.events == [.begun(1), .ended(1)])
    }

    @Test func secondStartDoesNothing() async {
        let operation = network.operation("/a")
        operation.start()
        operation.start()
        await operation.ends()
        operation.start()
        await NetworkThread.shared.catchesUp()
        #expect(network.log.requests.count == 1)
    }

    @Test func transportErrorFailsTheOperation() async {
        network.answer("/a", with: [.head(200), .body("ab"), .fail(.connectionLost)])
        let operation = network.operation("/a")
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .connectionLost)
        #expect(operation.error?.request?.url == ScriptedNetwork.url("/a"))
        #expect(operation.error?.response?.statusCode == 200)
        #expect(operation.responseObject == nil)
        #expect(operation.responseData == Data("ab".utf8))
        #expect(operation.receivedByteCount == 2)
    }

    @Test func unacceptableStatusFailsWithResponseAndBody() async {
        network.answer("/a", with: [.head(404), .body("no such thing")])
        let operation = network.operation("/a")
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .unacceptableStatus)
        #expect(operation.error?.response?.statusCode == 404)
        #expect(operation.error?.body == Data("no such thing".utf8))
        #expect(operation.statusCode == 404)
    }

    @Test func baseClassAcceptsAnyResponse() async {
        network.answer("/a", with: [.head(404), .body("gone")])
        let operation = RequestOperation(
            plan: RequestPlan(network.request("/a"), options: ResolvedOptions(TransferOptions())),
            services: network.services)
        operation.start()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(operation.statusCode == 404)
        #expect(operation.responseString == "gone")
    }

    @Test func unsendableRequestNeverTouchesTheTransport() async throws {
        var request = network.request("/a")
        request.url = URL(string: "ftp://h/file")
        let operation = HTTPRequestOperation(
            plan: RequestPlan(request, options: ResolvedOptions(TransferOptions())),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .badURL)
        #expect(network.log.requests.isEmpty)
    }

    @Test func redirectIsFollowedAndCounted() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"]), .body("elsewhere")])
        network.answer("/b", with: [.head(200), .body("here")])
        let operation = network.operation("/a")
        operation.start()
        await operation.ends()
        #expect(operation.responseString == "here")
        #expect(operation.request?.url == ScriptedNetwork.url("/b"))
        #expect(operation.summary.redirectCount == 1)
        #expect(operation.summary.transferCount == 2)
        #expect(network.log.entries.value.activeCount == 0)
    }

    @Test func challengeIsAnsweredOnceWithTheCredential() async {
        network.answer("/a", with: [.head(401, ["WWW-Authenticate": "Basic realm=\"r\""]), .body("who?")])
        var options = TransferOptions()
        options.credential = URLCredential(user: "u", password: "p", persistence: .none)
        let operation = network.operation("/a", options: options)
        operation.start()
        await operation.ends()
        #expect(operation.statusCode == 401)
        #expect(operation.error?.code == .authenticationRequired)
        let sent = network.log.requests.map { $0.value(of: "Authorization") }
        #expect(sent == [nil, "Basic dTpw"])  // base64 of "u:p"
    }

    @Test func challengeWithoutCredentialFailsWithUnacceptableStatus() async {
        network.answer("/a", with: [.head(401, ["WWW-Authenticate": "Basic realm=\"r\""]), .body("who?")])
        let operation = network.operation("/a")
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .unacceptableStatus)
        #expect(network.log.requests.count == 1)
    }

    /// The first origin accepted the credential. The second origin never received it.
    @Test func challengeAfterCrossOriginRedirectFailsWithUnacceptableStatus() async {
        let challenge = ["WWW-Authenticate": "Basic realm=\"r\""]
        let target = "http://other.test/b"
        network.answer("/a", inTurn: [[.head(401, challenge)], [.head(302, ["Location": target])]])
        network.answer("/b", with: [.head(401, challenge)])
        var options = TransferOptions()
        options.credential = URLCredential(user: "u", password: "p", persistence: .none)
        let operation = network.operation("/a", options: options)
        operation.start()
        await operation.ends()
        #expect(network.log.requests.map { $0.value(of: "Authorization") } == [nil, "Basic dTpw", nil])
        #expect(operation.error?.code == .unacceptableStatus)
    }

    @Test func unrequestedPartialContentIsRejected() async {
        network.answer("/a", with: [.head(206, ["Content-Range": "bytes 0-1/9"]), .body("ab")])
        let operation = network.operation("/a")
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .badServerResponse)
    }

    @Test func bodyOverTheLimitFails() async {
        network.answer("/a", with: [.head(200), .body("12345"), .body("6")])
        var options = TransferOptions()
        options.maximumBodyByteCount = 5
        let operation = network.operation("/a", options: options)
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .bodyTooLarge)
    }

    @Test func downloadedFileIsInPlaceBeforeOperationFinishes() async throws {
        let folder = try ScratchFolder()
        network.answer("/a", with: [.head(200), .body("abc")])
        let operation = network.operation("/a")
        operation.outputFile = folder.file("out")
        operation.start()
        await operation.ends()
        #expect(folder.text("out") == "abc")
        #expect(folder.names == ["out"])
        #expect(operation.responseData == nil)
        #expect(operation.responseObject as? URL == folder.file("out"))
    }

    @Test func descriptionShowsStateRequestAndStatus() async {
        let operation = network.operation("/a", method: "PUT")
        #expect("\(operation)" == "<HTTPRequestOperation: ready, cancelled: no, PUT http://scripted.test/a>")
        operation.pause()
        #expect("\(operation)" == "<HTTPRequestOperation: paused, cancelled: no, PUT http://scripted.test/a>")
        operation.resume()
        operation.start()
        await operation.ends()
        #expect(
            "\(operation)" == "<HTTPRequestOperation: finished, cancelled: no, PUT http://scripted.test/a, status 200>")
        let other = network.operation("/b")
        other.cancel()
        #expect("\(other)" == "<HTTPRequestOperation: ready, cancelled: yes, GET http://scripted.test/b>")
    }

    @Test func userInfoIsKept() {
        let operation = network.operation("/a")
        operation.userInfo["key"] = 7
        #expect(operation.userInfo["key"] as? Int == 7)
    }
}

// MARK: - Requests made at the start

extension RequestOperationTests {
    private func lateOperation(
        _ make: @escaping @Sendable () throws -> URLRequest
    ) -> HTTPRequestOperation {
        HTTPRequestOperation(
            plan: RequestPlan(
                recipe: RequestPlan.Recipe { plan in try plan.setRequest(make()) },
                options: ResolvedOptions(TransferOptions())),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
    }

    @Test func requestClosureRunsAtStartOffTheNetworkThread() async {
        let calls = Observed([Bool]())
        let operation = lateOperation { [network] in
            calls.append(NetworkThread.isCurrent)
            return network.request("/late")
        }
        #expect(operation.request == nil)
        #expect(calls.value.isEmpty)
        operation.start()
        await operation.ends()
        #expect(calls.value == [false])
        #expect(operation.request?.url == ScriptedNetwork.url("/late"))
        #expect(network.log.entries.value.paths == ["/late"])
    }

    @Test func requestClosureErrorFailsOperationAndSendsNothing() async {
        let known = lateOperation { throw NetworkingError(.unresolvedReference, "no such member") }
        let unknown = lateOperation { throw POSIXError(.ENOENT) }
        for operation in [known, unknown] {
            operation.start()
            await operation.ends()
        }
        #expect(known.error?.code == .unresolvedReference)
        #expect(unknown.error?.code == .invalidRequest)
        #expect((unknown.error?.underlying as? POSIXError)?.code == .ENOENT)
        #expect(network.log.requests.isEmpty)
    }

    @Test func cancelDoesNotWaitForRequestClosure() async {
        let (began, mayGoOn) = (Observed(0), Gate())
        let operation = lateOperation { [network] in
            began.increment()
            mayGoOn.waitBlocking()
            return network.request("/late")
        }
        operation.start()
        await began.becomes(1)
        operation.cancel()
        await operation.ends()
        mayGoOn.open()
        #expect(operation.error?.code == .cancelled)
        #expect(network.log.requests.isEmpty)
    }

    @Test func pauseDuringRequestClosureDelaysSendingUntilResume() async {
        let (began, ended, mayGoOn) = (Observed(0), Observed(0), Gate())
        let operation = lateOperation { [network] in
            began.increment()
            mayGoOn.waitBlocking()
            defer { ended.increment() }
            return network.request("/late")
        }
        operation.start()
        await began.becomes(1)
        operation.pause()
        mayGoOn.open()
        await ended.becomes(1)
        await NetworkThread.shared.catchesUp()
        #expect(network.log.requests.isEmpty)
        operation.resume()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(network.log.requests.count == 1)
        #expect(ended.value == 1)
    }
}

extension TransferRequest {
    /// The value of a header field of the request.
    func value(of name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
