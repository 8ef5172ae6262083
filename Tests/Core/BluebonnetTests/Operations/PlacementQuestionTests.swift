// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct PlacementQuestionTests {
    private let time: VirtualTime
    private let network: ScriptedNetwork
    private let folder: ScratchFolder
    private let isAsked = Gate()
    private let answer = Gate()
    private let hasReturned = Gate()

    init() throws {
        folder = try ScratchFolder()
        time = VirtualTime()
        network = ScriptedNetwork(time: time)
        network.answer("/a", with: [.head(200), .body("the file")])
    }

    /// A download whose block returns `target` after the gate has opened.
    private func download(within limit: Duration?) -> HTTPRequestOperation {
        let operation = network.operation("/a", options: TransferOptions { $0.timeouts.total = limit })
        operation.outputFile = folder.file("temporary")
        let target = folder.file("target")
        operation.setPlacement { [isAsked, answer, hasReturned] _, _ in
            isAsked.open()
            await answer.wait()
            defer { hasReturned.open() }
            return target
        }
        return operation
    }

    @Test func unansweredPlacementFailsAtTotalLimit() async throws {
        let operation = download(within: .seconds(10))
        operation.start()
        await isAsked.wait()
        await time.hasWaiting(1)
        await time.advance(by: .seconds(11))
        await operation.ends()
        #expect(operation.error?.code == .timedOut)
        #expect(operation.error?.timeLimit == .total)
        #expect(operation.error?.message.contains("before a block chose the destination of the download") == true)
        #expect(operation.downloadedFile == nil)
        #expect(folder.names == [], "the file has no place")
        answer.open()
    }

    @Test func latePlacementHasNoEffect() async throws {
        let operation = download(within: .seconds(10))
        operation.start()
        await isAsked.wait()  // earlier, another stage's timer may be waiting
        await time.hasWaiting(1)
        await time.advance(by: .seconds(11))
        await operation.ends()
        try folder.write("another's", to: "target")
        answer.open()
        await hasReturned.wait()
        await operation.ends()
        #expect(operation.error?.code == .timedOut)
        #expect(folder.text("target") == "another's")
        #expect(folder.names == ["target"])
    }

    @Test func placementInTimeEndsTheLimit() async throws {
        let operation = download(within: .seconds(10))
        operation.start()
        await isAsked.wait()  // earlier, another stage's timer may be waiting
        await time.hasWaiting(1)
        answer.open()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(operation.downloadedFile == folder.file("target"))
        #expect(folder.names == ["target"])
        await time.hasWaiting(0)
    }

    @Test func placementWithoutLimitMayTakeAnyTime() async throws {
        let operation = download(within: nil)
        operation.start()
        await isAsked.wait()
        await time.advance(by: .seconds(1_000_000))
        #expect(!operation.isFinished)
        answer.open()
        await operation.ends()
        #expect(operation.downloadedFile == folder.file("target"))
    }
}
