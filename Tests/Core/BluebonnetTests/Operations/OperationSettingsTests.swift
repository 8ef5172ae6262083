// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Which settings of an operation and of a manager can be changed, until when, and which values are read back.
@Suite(.timeLimit(.minutes(1))) struct OperationSettingsTests {
    private let network = ScriptedNetwork()

    @Test func blocksCanBeReadBack() async throws {
        let operation = network.operation("/a")
        let changed = network.request("/changed")
        operation.onRedirect = { _, _, _ in changed }
        operation.onChallenge = { _, _ in .cancel }
        operation.onServerTrust = { _, _ in .accept }
        operation.onCacheResponse = { _, _ in nil }
        operation.onNeedNewBodyStream = { InputStream(data: Data("again".utf8)) }
        let response = try #require(
            HTTPURLResponse(
                url: ScriptedNetwork.url("/a"), statusCode: 302, httpVersion: "HTTP/1.1", headerFields: nil))
        let redirect = try #require(operation.onRedirect)
        #expect(await redirect(operation, network.request("/b"), response)?.url?.path == "/changed")
        #expect(operation.onChallenge != nil && operation.onServerTrust != nil && operation.onCacheResponse != nil)
        #expect(operation.onNeedNewBodyStream?() != nil)
        operation.onRedirect = nil
        #expect(operation.onRedirect == nil && operation.onChallenge != nil)
    }

    @Test func progressHandlersCanBeReadBackUntilTheEnd() async {
        network.answer("/a", with: [.head(200), .body("a")])
        let operation = network.operation("/a")
        operation.onUploadProgress = { _, _, _ in }
        operation.onDownloadProgress = { _, _, _ in }
        #expect(operation.onUploadProgress != nil && operation.onDownloadProgress != nil)
        await operation.run().ends()
        #expect(operation.onUploadProgress == nil && operation.onDownloadProgress == nil, "released at the end")
    }

    @Test func newOperationsInheritBlocksOfTheManager() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer("/b", with: [.head(200), .body("b")])
        network.answer("/c", with: [.head(200), .body("c")])
        let manager = network.manager()
        let before = manager.operation("GET", "a")
        manager.onRedirect = { [network] _, _, _ in network.request("/c") }
        #expect(manager.onRedirect != nil && before.onRedirect == nil, "operations that were made before keep theirs")
        let operation = manager.operation("GET", "a", responseSerializer: HTTPResponseSerializer())
        #expect(await operation.run().responseString == "c")
        #expect(network.log.entries.value.paths == ["/a", "/c"])
    }

    @Test func managerConfiguresEveryOperationBeforeCallSettings() async throws {
        let manager = network.manager()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.configure = { operation in
            operation.name = "made"
            operation.timeouts.total = .seconds(5)
            if operation.request?.url?.path == "/text" { operation.responseSerializer = StringResponseSerializer() }
        }
        let text = manager.operation("GET", "text")
        #expect(text.name == "made" && text.timeouts.total == .seconds(5))
        #expect(try await manager.run(text) as? String == "fine")
        let own = manager.operation("GET", "a", timeout: .seconds(3)) { $0.name = "own" }
        #expect(own.name == "own" && own.timeouts.total == .seconds(3))
        #expect(own.responseSerializer is HTTPResponseSerializer)
        let late = manager.operation(after: []) { [network] in network.request("/b") }
        #expect(late.name == "made")
        #expect(manager.get("b", returning: StringResponseSerializer()).operation.name == "made")
        let archive = try await network.operation("/c").archive()
        #expect(try manager.operation(with: archive).name == "made")
        manager.configure = nil
        #expect(manager.operation("GET", "a").name == nil)
    }

    @Test func callSettingsOverrideManagerConfigureClosure() async throws {
        let manager = network.manager()
        let order = Observed([String]())
        manager.configure = { operation in
            operation.responseSerializer = XMLDocumentResponseSerializer()
            operation.setCompletionBlock { _, _ in order.append("replaced") }
            operation.addCompletion { _, _ in order.append("added") }
        }
        #expect(try await manager.get("a", returning: StringResponseSerializer()).value == "fine")
        let text: String = try await manager.get("b")
        #expect(text == "fine")
        let archive = try await network.operation("/c").archive()
        let restored = try manager.operation(with: archive, responseSerializer: StringResponseSerializer())
        #expect(restored.responseSerializer is StringResponseSerializer)
        await order.becomes { $0.count == 4 }
        order.update { $0 = [] }
        manager.call("d").configure { $0.addCompletion { _, _ in order.append("own") } }
            .start(responseSerializer: StringResponseSerializer(), success: { _, _ in order.append("call") })
        await order.becomes { $0.count == 3 }
        #expect(Set(order.value) == ["added", "call", "own"])
    }

    @Test func callConfigureClosureRunsAfterCallHandlers() async throws {
        let order = Observed([String]())
        let operation = network.manager().call("a")
            .configure { $0.setCompletionBlock { _, _ in order.append("closure") } }
            .start(responseSerializer: StringResponseSerializer(), success: { _, _ in order.append("call") })
        await operation.ends()
        await order.becomes { !$0.isEmpty }
        #expect(order.value == ["closure"])
    }

    @Test func settingsAfterStartAreIgnored() async {
        let gate = Gate()
        network.answer("/a", with: [.wait(gate), .head(200), .body("a")])
        let operation = network.operation("/a")
        operation.options.maximumRedirectCount = 3
        operation.start()
        await network.log.sees(.begun(1))
        operation.options.maximumRedirectCount = 7
        operation.outputFile = URL(fileURLWithPath: "/nowhere/file")
        operation.onRedirect = { _, _, _ in nil }
        operation.expectedDigest = "00"
        #expect(operation.options.maximumRedirectCount == 3)
        #expect(operation.outputFile == nil && operation.onRedirect == nil && operation.expectedDigest == nil)
        gate.open()
        await operation.ends()
        #expect(operation.responseString == "a")
    }

    @Test func serializerCanBeSetUntilTheStart() async {
        let gate = Gate()
        network.answer("/a", with: [.wait(gate), .head(200), .body("a")])
        let operation = network.operation("/a")
        #expect(operation.responseSerializer is HTTPResponseSerializer)
        operation.responseSerializer = JSONResponseSerializer()
        operation.responseSerializer = StringResponseSerializer()
        operation.start()
        await network.log.sees(.begun(1))
        operation.responseSerializer = JSONResponseSerializer()
        #expect(operation.responseSerializer is StringResponseSerializer)
        gate.open()
        await operation.ends()
        #expect(operation.responseObject as? String == "a")
        operation.responseSerializer = JSONResponseSerializer()
        #expect(operation.responseObject as? String == "a" && operation.error == nil)
    }

    @Test func setSerializerAppliesToStatusesAndCopies() async {
        network.answer("/gone", with: [.head(404), .body("gone")])
        let operation = network.operation("/gone")
        operation.responseSerializer = StringResponseSerializer(ResponseValidation(acceptableStatusCodes: [404]))
        let copy = operation.copied()
        for operation in [operation, copy] {
            #expect(await operation.run().responseObject as? String == "gone")
        }
    }

    @Test func serializerOfWrongTypeFailsTheHandle() async throws {
        let manager = network.manager()
        let handle = manager.call("a").configure { $0.responseSerializer = HTTPResponseSerializer() }
            .start(returning: StringResponseSerializer())
        let error = await #expect(throws: NetworkingError.self) { try await handle.value }
        #expect(error?.code == .cannotParseResponse)
    }

    @Test func settingsOfUnstartedPausedOperationApply() async {
        network.answer("/a", with: [.head(200), .body("a")])
        let operation = network.operation("/a")
        operation.pause()
        operation.expectedDigest = "not this"
        operation.resume()
        #expect(await operation.run().code == .digestMismatch)
    }

    @Test func digestIsComputedOnRequest() async {
        network.answer("/a", with: [.head(200), .body("abc")])
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  // FIPS 180-2, B.1
        let (asked, expecting, plain) = (network.operation("/a"), network.operation("/a"), network.operation("/a"))
        asked.computesDigest = true
        expecting.expectedDigest = digest.uppercased()
        for operation in [asked, expecting, plain] { await operation.run().ends() }
        #expect(asked.digest == digest && expecting.digest == digest && plain.digest == nil)
        #expect(expecting.error == nil)
    }

    @Test func secondCompletionBlockReplacesTheFirst() async {
        network.answer("/a", with: [.head(200)])
        let order = Observed<[String]>([])
        let operation = network.operation("/a")
        operation.addCompletion { _, result in order.append("added, \((try? result.get()) != nil)") }
        operation.setCompletionBlock { _, _ in order.append("first") }
        operation.setCompletionBlock { _, _ in order.append("second") }
        await operation.run().ends()
        #expect(order.value == ["second", "added, true"])
    }

    @Test func chunksRequestedAfterTheEndThrow() async throws {
        network.answer("/a", with: [.head(200), .body("a")])
        let operation = network.operation("/a")
        await operation.run().ends()
        let error = await #expect(throws: NetworkingError.self) { for try await _ in operation.chunks {} }
        #expect(error?.code == .invalidRequest)
        #expect(operation.responseString == "a", "the body stays where it is")
    }

    @Test func chunksRequestedTwiceThrowTheSecondTime() async throws {
        network.answer("/a", with: [.head(200), .body("a"), .body("b")])
        let operation = network.operation("/a")
        let (first, second) = (operation.chunks, operation.chunks)
        operation.start()
        var body = Data()
        for try await chunk in first { body += chunk }
        #expect(String(decoding: body, as: UTF8.self) == "ab")
        let error = await #expect(throws: NetworkingError.self) { for try await _ in second {} }
        #expect(error?.code == .invalidRequest)
    }

    @Test func chunksOfEnqueuedOperationThrow() async throws {
        let queue = network.manager().operationQueue
        queue.isSuspended = true
        network.answer("/a", with: [.head(200), .body("a")])
        let operation = network.operation("/a")
        queue.addOperation(operation)
        let chunks = operation.chunks  // before its start
        queue.isSuspended = false
        let error = await #expect(throws: NetworkingError.self) { for try await _ in chunks {} }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("before the operation is queued") == true)
        await operation.ends()
        #expect(operation.responseString == "a", "the body stays where it is")
    }

    @Test func secondIterationOfChunksThrowsWhileTheFirstWaits() async throws {
        let gate = Gate()
        network.answer("/a", with: [.head(200), .body("a"), .wait(gate), .body("b")])
        let operation = network.operation("/a")
        let chunks = operation.chunks
        operation.start()
        let received = Observed("")
        let first = Task {
            for try await chunk in chunks { received.update { $0 += String(decoding: chunk, as: UTF8.self) } }
        }
        await received.becomes("a")
        let error = await #expect(throws: NetworkingError.self) { for try await _ in chunks {} }
        #expect(error?.code == .invalidRequest)
        gate.open()
        try await first.value
        #expect(received.value == "ab")
        #expect(operation.error == nil, "the second iteration cancels nothing")
    }

    @Test func secondWaitingReaderThrows() async throws {
        let gate = Gate()
        network.answer("/a", with: [.head(200), .body("a"), .wait(gate), .body("b")])
        let operation = network.operation("/a")
        let consumer = try operation.chunks.consumer.get()
        operation.start()
        #expect(try await consumer.next() == Data("a".utf8))
        let ends = Observed<[String]>([])
        let readers = (0..<2).map { _ in
            Task {
                do throws(NetworkingError) {
                    let chunk = try await consumer.next() ?? Data()
                    ends.append(String(decoding: chunk, as: UTF8.self))
                } catch {
                    ends.append(error.code.rawValue)
                }
            }
        }
        await ends.becomes(["invalidRequest"])
        gate.open()
        for reader in readers { await reader.value }
        #expect(ends.value == ["invalidRequest", "b"])
    }

    // MARK: The head

    @Test func headIsAvailableBeforeTheBody() async throws {
        let gate = Gate()
        network.answer("/a", with: [.head(200, ["X-A": "1"]), .wait(gate), .body("b")])
        let operation = network.operation("/a")
        operation.start()
        let head = try await operation.head()
        #expect(head.statusCode == 200 && head.headers["x-a"] == "1")
        #expect(operation.statusCode == 200 && operation.response?.statusCode == 200 && !operation.isFinished)
        gate.open()
        await operation.ends()
        #expect(operation.responseString == "b" && operation.responseHeaders["X-A"] == "1")
    }

    @Test func headOfUnacceptableStatusDoesNotThrow() async throws {
        network.answer("/a", with: [.head(404), .body("no")])
        let operation = network.operation("/a")
        operation.start()
        #expect(try await operation.head().statusCode == 404)
        await operation.ends()
        #expect(operation.code == .unacceptableStatus)
    }

    @Test func headOfFollowedRedirectIsSkipped() async throws {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer("/b", with: [.head(201)])
        let operation = network.operation("/a")
        operation.start()
        #expect(try await operation.head().statusCode == 201)
    }

    @Test func headThrowsErrorIfNoHeadArrives() async throws {
        network.answer("/a", with: [.wait(Gate())])
        let operation = network.operation("/a")
        operation.start()
        await network.log.sees(.begun(1))
        let head = Task { try await operation.head() }
        operation.cancel()
        await #expect { _ = try await head.value } throws: { ($0 as? NetworkingError)?.code == .cancelled }
    }

    @Test func headOfUnstartedOperationThrows() async {
        let error = await #expect(throws: NetworkingError.self) { try await network.operation("/a").head() }
        #expect(error?.code == .notStarted)
    }

    // MARK: Copies, archives and repeated runs

    @Test func copyAndArchiveKeepDigestSettings() async throws {
        let operation = network.operation("/a")
        (operation.expectedDigest, operation.computesDigest) = ("00", true)
        let copy = operation.copied()
        #expect(copy.expectedDigest == "00" && copy.computesDigest)
        let data = try JSONEncoder().encode(try await operation.archive())
        let again = try HTTPRequestOperation(archive: try JSONDecoder().decode(OperationArchive.self, from: data))
        #expect(again.expectedDigest == "00" && again.computesDigest)
    }

    @Test func operationRunByTwoTasksRunsOnce() async throws {
        network.answer("/a", with: [.head(200), .body("a")])
        for _ in 0..<100 {
            let (manager, operation) = (network.manager(), network.operation("/a"))
            async let first = manager.run(operation)
            async let second = manager.run(operation)
            _ = try await (first, second)
            #expect(operation.summary.transferCount == 1)
        }
    }

    @Test func batchRunByTwoTasksRunsOnce() async {
        network.answer("/a", with: [.head(200)])
        for _ in 0..<100 {
            let (manager, batch) = (network.manager(), Batch(of: [network.operation("/a")]))
            async let first = manager.run(batch)
            async let second = manager.run(batch)
            #expect(await (first.counts.successCount, second.counts.successCount) == (1, 1))
        }
    }

    @Test func chunksOfUnstartedOperationThrow() async {
        let operation = network.operation("/a")
        let error = await #expect(throws: NetworkingError.self) { for try await _ in operation.chunks {} }
        #expect(error?.code == .notStarted)
    }

    @Test func descriptionHidesSecrets() {
        let operation = network.operation("/a?token=t&sig=s&page=1")
        #expect("\(operation)".contains("/a?token=REDACTED&sig=REDACTED&page=1"))
        #expect("\(HeaderFields(["X-API-Key": "k", "Accept": "a"]))" == "[Accept: a, X-API-Key: REDACTED]")
    }
}
