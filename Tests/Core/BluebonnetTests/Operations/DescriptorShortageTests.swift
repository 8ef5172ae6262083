// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct DescriptorShortageTests {
    private static let sentence = "the process has reached its limit of open files (ulimit -n)"

    @Test func transferWithoutDescriptorWaitsForAnotherToEnd() async {
        let (network, gate) = (ScriptedNetwork(), Gate())
        network.answer("/first", with: [.wait(gate), .head(200)])
        network.answer("/second", inTurn: [[.lackDescriptor], [.head(200), .body("fine")]])
        let (first, second) = (network.operation("/first"), network.operation("/second", method: "POST", body: "x"))
        first.start()
        await network.log.sees(.begun(1))
        second.start()
        await becomes(Self.sentence) { await second.waitReason?.description }
        #expect(network.log.requests.count == 2)
        gate.open()
        for operation in [first, second] { await operation.ends() }
        #expect(second.error == nil)
        #expect(second.responseData == Data("fine".utf8))
        #expect(second.summary.transferCount == 1)
        #expect(network.log.entries.value.paths == ["/first", "/second", "/second"])
    }

    @Test func queuedOperationReportsDescriptorShortage() async {
        let (network, gate) = (ScriptedNetwork(), Gate())
        network.answer("/first", with: [.wait(gate), .head(200)])
        network.answer("/second", inTurn: [[.lackDescriptor], [.head(200)]])
        network.answer("/third", with: [.head(200)])
        let operations = ["/first", "/second", "/third"].map { network.operation($0) }
        let queue = RequestOperationQueue()
        queue.addOperation(operations[0])
        await network.log.sees(.begun(1))
        queue.addOperation(operations[1])
        await becomes(Self.sentence) { await operations[1].waitReason?.description }
        queue.addOperation(operations[2])
        await becomes(Self.sentence) { await operations[2].waitReason?.description }
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error == nil })
    }

    /// The transfer is admitted again three times, because idle connections were closed.
    @Test func transferWithoutDescriptorFailsIfNoOtherRuns() async {
        let network = ScriptedNetwork()
        network.answer("/", with: [.lackDescriptor])
        let operation = network.operation("/")
        operation.start()
        await operation.ends()
        #expect(operation.code == .cannotConnect)
        #expect(network.log.requests.count == 4)
        #expect(network.log.entries.value.idleClosures == 3)
    }

    @Test func possiblyDeliveredRequestIsNotRepeated() async {
        let (network, gate) = (ScriptedNetwork(), Gate())
        network.answer("/first", with: [.wait(gate), .head(200)])
        network.answer("/second", with: [.sent(1), .lackDescriptorAfterSending])
        let (first, second) = (network.operation("/first"), network.operation("/second", method: "POST", body: "x"))
        first.start()
        await network.log.sees(.begun(1))
        second.start()
        await second.ends()
        #expect(second.code == .connectionLost)
        gate.open()
        await first.ends()
    }

    @Test func waitingTransferCanBeCancelled() async {
        let (network, gate) = (ScriptedNetwork(), Gate())
        network.answer("/first", with: [.wait(gate), .head(200)])
        network.answer("/second", with: [.lackDescriptor])
        let (first, second) = (network.operation("/first"), network.operation("/second"))
        first.start()
        await network.log.sees(.begun(1))
        second.start()
        await becomes(Self.sentence) { await second.waitReason?.description }
        second.cancel()
        await second.ends()
        #expect(second.code == .cancelled)
        gate.open()
        await first.ends()
    }
}
