// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ResponseBlockTests {
    private let network = ScriptedNetwork()
    private let seen = Observed([String]())

    @Test func responseBlockRunsBeforeTheBodyAndCanAllowIt() async {
        network.answer("/a", with: [.head(200, ["X-A": "1"]), .body("abc")])
        let operation = network.operation("/a")
        operation.onResponse = { [seen] operation, head in
            let early = "\(operation.statusCode ?? 0) \(head.headers["x-a"] ?? "") \(operation.receivedByteCount)"
            seen.append(NetworkThread.isCurrent ? "network thread" : early)
            return .allow
        }
        _ = await operation.run()
        #expect(seen.value == ["200 1 0"])
        #expect(operation.responseString == "abc")
    }

    @Test func cancellingResponseBlockEndsTheOperationWithoutABody() async {
        network.answer("/a", with: [.head(200), .body("abc")])
        let operation = network.operation("/a")
        operation.onResponse = { _, _ in .cancel }
        _ = await operation.run()
        #expect(operation.code == .cancelled)
        #expect(operation.error?.response?.statusCode == 200)
        #expect(operation.receivedByteCount == 0)
        #expect(network.log.events.contains(.aborted(1)))
    }

    @Test func acceptedBodyGoesToTheFileOfTheBlock() async throws {
        let folder = try ScratchFolder()
        let body = Data.patterned(byteCount: 2_000_000)
        network.answer("/a", with: [.head(200)] + body.pieces(of: 100_000).map(ScriptedStep.bytes))
        let operation = network.operation("/a")
        operation.onResponse = { _, _ in .download(folder.file("got")) }
        _ = await operation.run()
        #expect(operation.error == nil)
        #expect(operation.downloadedFile == folder.file("got"))
        #expect(operation.responseData == nil)
        #expect(try Data(contentsOf: folder.file("got")) == body)
        #expect(folder.names == ["got"])
    }

    @Test func refusedBodyIsNotWrittenToTheBlocksFile() async throws {
        let folder = try ScratchFolder()
        network.answer("/a", with: [.head(404), .body("no")])
        let operation = network.operation("/a")
        operation.onResponse = { _, _ in .download(folder.file("got")) }
        _ = await operation.run()
        #expect(operation.code == .unacceptableStatus)
        #expect(operation.error?.body == Data("no".utf8))
        #expect(folder.names == [])
    }

    @Test func unopenableFileIsTheError() async throws {
        let operation = network.operation("/a")
        operation.onResponse = { _, _ in .download(URL(fileURLWithPath: "/nowhere/file")) }
        _ = await operation.run()
        #expect(operation.code == .cannotOpenFile)
    }

    @Test func followedRedirectDoesNotCallTheBlock() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer("/b", with: [.head(200), .body("b")])
        let operation = network.operation("/a")
        operation.onResponse = { [seen] _, head in
            seen.append(head.url.path)
            return .allow
        }
        _ = await operation.run()
        #expect(seen.value == ["/b"])
    }

    @Test func emptyResponseMayEndBeforeTheBlockDecides() async {
        network.answer("/a", with: [.head(200)])
        let gate = Gate()
        let operation = network.operation("/a")
        operation.onResponse = { _, _ in
            await gate.wait()
            return .allow
        }
        operation.start()
        await network.log.sees(.ended(1))
        gate.open()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(operation.statusCode == 200)
    }

    @Test func blockIsCalledAgainAfterAPauseBeforeItsAnswer() async {
        network.answer("/a", with: [.head(200), .body("abc")])
        let (first, asked) = (Gate(), Observed(0))
        let operation = network.operation("/a")
        operation.onResponse = { _, _ in
            asked.increment()
            if asked.value == 1 { await first.wait() }
            return .allow
        }
        operation.start()
        await asked.becomes(1)
        operation.pause()
        await network.log.sees(.aborted(1))
        first.open()
        operation.resume()
        await operation.ends()
        #expect(asked.value == 2)
        #expect(operation.responseString == "abc")
    }

    @Test func restOfAPausedBodyDoesNotCallTheBlock() async throws {
        let folder = try ScratchFolder()
        let (gate, reached) = (Gate(), Observed(0))
        let (head, rest) = (Data.patterned(byteCount: 100_000), Data("the rest".utf8))
        let total = head.count + rest.count
        network.answer(
            "/a",
            inTurn: [
                [
                    .head(200, ["ETag": "\"1\"", "Content-Length": "\(total)"]), .bytes(head), .reach(reached),
                    .wait(gate),
                ],
                [
                    .head(206, ["ETag": "\"1\"", "Content-Range": "bytes \(head.count)-\(total - 1)/\(total)"]),
                    .bytes(rest),
                ],
            ])
        let operation = network.operation("/a")
        operation.onResponse = { [seen] _, head in
            seen.append("\(head.statusCode)")
            return .download(folder.file("got"))
        }
        operation.start()
        await reached.becomes(1)
        operation.pause()
        await network.log.sees(.aborted(1))
        operation.resume()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(try Data(contentsOf: folder.file("got")) == head + rest)
        #expect(seen.value == ["200"])
    }

    @Test func archivedBytesMoveToTheFileOfTheBlock() async throws {
        let folder = try ScratchFolder()
        let (gate, reached) = (Gate(), Observed(0))
        network.answer(
            "/a",
            inTurn: [
                [.head(200, ["ETag": "\"1\"", "Content-Length": "6"]), .body("abc"), .reach(reached), .wait(gate)],
                [.head(206, ["ETag": "\"1\"", "Content-Range": "bytes 3-5/6"]), .body("def")],
            ])
        let first = network.operation("/a")
        first.start()
        await reached.becomes(1)
        let archive = try await first.archive()
        first.cancel()
        let second = try network.manager().operation(with: archive)
        second.onResponse = { _, _ in .download(folder.file("got")) }
        _ = await second.run()
        #expect(second.error == nil)
        #expect(folder.text("got") == "abcdef")
    }

    @Test func answerAfterTheEndLeavesNoFile() async throws {
        let folder = try ScratchFolder()
        let (gate, asked, answered) = (Gate(), Observed(0), Gate())
        network.answer("/a", with: [.head(200), .body("abc")])
        let operation = network.operation("/a")
        operation.onResponse = { _, _ in
            asked.increment()
            await gate.wait()
            defer { answered.open() }
            return .download(folder.file("got"))
        }
        operation.start()
        await asked.becomes(1)
        operation.cancel()
        await operation.ends()
        gate.open()
        await answered.wait()
        await NetworkThread.shared.catchesUp()
        await becomes([]) { folder.names }
        #expect(operation.code == .cancelled)
    }

    @Test(arguments: [200, 404])
    func piecesAreReportedInOrderBeforeTheEnd(status: Int) async {
        network.answer("/a", with: [.head(status), .body("ab"), .body("cd")])
        let operation = network.operation("/a")
        operation.onReceivedData = { [seen] _, data in seen.append(String(decoding: data, as: UTF8.self)) }
        operation.completionBlock = { [seen] in seen.append("end") }
        operation.start()
        await seen.becomes { $0.last == "end" }
        #expect(seen.value == ["ab", "cd", "end"])
    }

    @Test func blocksAreReadBackAndCopied() {
        let operation = network.operation("/a")
        #expect(operation.onResponse == nil && operation.onReceivedData == nil)
        operation.onResponse = { _, _ in .allow }
        operation.onReceivedData = { _, _ in }
        let copy = operation.copied()
        #expect(copy.onResponse != nil && copy.onReceivedData != nil)
    }
}

extension Data {
    /// The bytes in pieces; the last piece may be shorter.
    fileprivate func pieces(of byteCount: Int) -> [Data] {
        stride(from: 0, to: count, by: byteCount).map { dropFirst($0).prefix(byteCount) }
    }
}
