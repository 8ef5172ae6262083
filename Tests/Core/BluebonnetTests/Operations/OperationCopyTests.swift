// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct OperationCopyTests {
    private let network = ScriptedNetwork(limit: 4)

    @Test func copyOfFinishedOperationIsReady() async {
        network.answer("/a", with: [.head(200), .body("text")])
        let original = network.operation("/a")
        original.start()
        await original.ends()
        let copy = original.copied()
        #expect(copy.isReady && !copy.isFinished && copy.responseData == nil && copy.error == nil)
        copy.start()
        await copy.ends()
        #expect(copy.responseString == "text")
        #expect(network.log.requests.count == 2)
    }

    @Test func copyOfCancelledOperationIsNotCancelled() async {
        network.answer("/a", with: [.head(200), .body("text")])
        let original = network.operation("/a")
        original.cancel()
        let copy = original.copied()
        #expect(original.isCancelled && !copy.isCancelled)
        copy.start()
        await copy.ends()
        #expect(copy.error == nil)
    }

    @Test func copyKeepsSettingsButNotUserInfoOrCompletionBlock() {
        let original = network.operation("/a")
        let (queue, group) = (DispatchQueue(label: "test"), DispatchGroup())
        original.completionQueue = queue
        original.completionGroup = group
        original.userInfo = ["key": 1]
        original.outputFile = URL(fileURLWithPath: "/tmp/x")
        original.uploadFile = URL(fileURLWithPath: "/tmp/y")
        original.credential = URLCredential(user: "u", password: "p", persistence: .none)
        original.options.maximumRedirectCount = 3
        original.completionBlock = {}
        (original.name, original.queuePriority) = ("mine", .veryLow)
        let copy = original.copied()
        #expect(copy.name == "mine" && copy.queuePriority == .veryLow)
        #expect(copy.completionQueue === queue)
        #expect(copy.completionGroup === group)
        #expect(copy.userInfo.isEmpty)
        #expect(copy.outputFile == original.outputFile)
        #expect(copy.uploadFile == original.uploadFile)
        #expect(copy.credential?.user == "u")
        #expect(copy.options.maximumRedirectCount == 3)
        #expect(copy.completionBlock == nil)
        #expect(copy.request == original.request)
        #expect(type(of: copy.responseSerializer) == type(of: original.responseSerializer))
    }

    @Test func copyOfFinishedOperationKeepsBlocks() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer("/b", with: [.head(200), .body("end")])
        let count = Observed(0)
        let original = network.operation("/a")
        original.onRedirect = { _, proposed, _ in
            count.increment()
            return proposed
        }
        original.start()
        await original.ends()
        let copy = original.copied()
        copy.start()
        await copy.ends()
        #expect(copy.responseString == "end")
        #expect(count.value == 2)
    }

    @Test func foundationCopyReturnsHTTPRequestOperation() throws {
        let copy = network.operation("/a").copy() as? HTTPRequestOperation
        #expect(copy?.request?.url?.path == "/a")
    }

    @Test func copyReusesTheMadeRequest() async {
        network.answer("/made", with: [.head(200)])
        let count = Observed(0)
        let request = network.request("/made")
        let original = network.manager().operation(after: []) {
            count.increment()
            return request
        }
        original.start()
        await original.ends()
        let copy = original.copied()
        copy.start()
        await copy.ends()
        #expect(count.value == 1)
        #expect(network.log.requests.count == 2)
    }

    @Test func copyingDoesNotChangeTheOriginal() async {
        let gate = Gate()
        let isHalfway = Observed(0)
        network.answer("/a", with: [.head(200), .body("one"), .reach(isHalfway), .wait(gate), .body("two")])
        let original = network.operation("/a")
        original.start()
        await isHalfway.becomes(1)
        _ = original.copied()
        gate.open()
        await original.ends()
        #expect(original.responseString == "onetwo")
        #expect(network.log.requests.count == 1)
    }
}
