// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Where what handlers hold is released: it is code of the user's.
@Suite(.timeLimit(.minutes(1))) struct EndHandlerTests {
    private final class Token: Sendable {
        private let released: Witness<[Bool]>

        init(_ released: Witness<[Bool]>) { self.released = released }

        deinit { released.append(NetworkThread.isCurrent) }
    }

    @Test func whatAHandlerHoldsIsNeverReleasedOnTheNetworkThread() async {
        let network = ScriptedNetwork()
        network.answerOthers { _ in [.head(200), .body("answer")] }
        let released = Witness([Bool]())
        let count = 500
        for number in 0..<count {
            let operation = HTTPRequestOperation(
                source: .ready(network.request("/\(number)")), serializer: SharedSerializer(HTTPResponseSerializer()),
                options: SharedOptions(TransferOptions()), services: network.services)
            let (token, other) = (Token(released), Token(released))
            operation.completionBlock = { withExtendedLifetime(token) {} }
            operation.setCompletionBlock { _, _ in withExtendedLifetime(other) {} }
            operation.start()
        }
        await released.becomes { $0.count == 2 * count }
        #expect(released.value.filter { $0 }.isEmpty)
    }

    @Test func neitherIsWhatABlockOrUserInfoHolds() async {
        let network = ScriptedNetwork()
        network.answerOthers { _ in [.head(200), .body("answer")] }
        let released = Witness([Bool]())
        let queue = RequestOperationQueue()
        let count = 200
        for number in 0..<count {
            let operation = HTTPRequestOperation(
                source: .ready(network.request("/\(number)")), serializer: SharedSerializer(HTTPResponseSerializer()),
                options: SharedOptions(TransferOptions()), services: network.services)
            let token = Token(released)
            operation.setRedirectResponse { _, request, _ in withExtendedLifetime(token) { request } }
            operation.userInfo = ["token": Token(released)]
            queue.addOperation(operation)  // which alone keeps it
        }
        await released.becomes { $0.count == 2 * count }
        #expect(released.value.filter { $0 }.isEmpty)
    }

    /// A block that is set on a finished operation is not run, as with Foundation, whether its own has run already or not.
    @Test func theBlockThatIsAboutToRunIsNeitherReplacedNorTakenAway() async {
        let network = ScriptedNetwork()
        network.answerOthers { _ in [.head(200)] }
        let ran = Witness([String]())
        let queue = DispatchQueue(label: "handlers")
        queue.suspend()
        let operation = HTTPRequestOperation(
            source: .ready(network.request("/a")), serializer: SharedSerializer(HTTPResponseSerializer()),
            options: SharedOptions(TransferOptions()), services: network.services)
        operation.completionQueue = queue
        operation.completionBlock = { ran.append("first") }
        operation.setCompletionBlock { _, _ in ran.append("handler") }
        operation.start()
        await operation.finished()
        operation.completionBlock = { ran.append("second") }
        operation.completionBlock = nil
        queue.resume()
        await ran.becomes { $0.count == 2 }
        queue.sync {}
        #expect(ran.value == ["first", "handler"])
        #expect(operation.completionBlock == nil)
    }
}
