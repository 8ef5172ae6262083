// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct EventStreamPolicyTests {
    @Test func namedPoliciesLimitAttempts() {
        #expect(EventStreamPolicy.never.maximumAttemptCount == 0)
        #expect(EventStreamPolicy.attempts(4).maximumAttemptCount == 4)
        #expect(EventStreamPolicy.untilCancelled.maximumAttemptCount == nil)
    }

    @Test func waitsHaveDefaults() {
        let policy = EventStreamPolicy.untilCancelled
        #expect(policy.initialDelay == .seconds(3))
        #expect(policy.maximumDelay == .seconds(60))
    }

    @Test func policiesAreCodable() throws {
        for policy in [EventStreamPolicy.never, .untilCancelled, .attempts(2)] {
            let data = try JSONEncoder().encode(policy)
            #expect(try JSONDecoder().decode(EventStreamPolicy.self, from: data) == policy)
        }
    }

    @Test func eventsHaveDefaults() {
        let event = ServerSentEvent(data: "a")
        #expect(event == ServerSentEvent(event: "message", data: "a", id: "", retry: nil))
    }

    @Test func errorNamesItsItem() {
        let error = StreamItemError(item: "line", number: 3, reason: "the line has more than 5 bytes")
        #expect(error.description == "line 3: the line has more than 5 bytes")
        #expect(error.localizedDescription == error.description)
    }
}
