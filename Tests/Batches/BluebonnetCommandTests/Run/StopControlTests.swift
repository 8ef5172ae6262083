// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Testing

@testable import BluebonnetCommand

@Suite struct StopControlTests {
    /// Collects the reasons that a handler receives.
    private final class Heard: Sendable {
        private let list = Mutex<[StopControl.Reason]>([])
        var reasons: [StopControl.Reason] { list.withLock { $0 } }
        func record(_ reason: StopControl.Reason) { list.withLock { $0.append(reason) } }
    }

    @Test func onlyMoreUrgentReasonsAreReported() {
        let (control, heard) = (StopControl(), Heard())
        control.onStop(heard.record)
        let reasons: [StopControl.Reason] = [
            .resultsLost, .operationFailed, .resultsLost, .interrupted, .interruptedAgain,
        ]
        for reason in reasons { control.stop(reason) }
        #expect(heard.reasons == [.resultsLost, .interrupted, .interruptedAgain])
        #expect(control.reason == .interruptedAgain)
    }

    @Test func lateHandlerIsCalledAtOnce() {
        let (control, heard) = (StopControl(), Heard())
        control.stop(.interrupted)
        control.onStop(heard.record)
        #expect(heard.reasons == [.interrupted])
    }

    @Test func runThatWasNotPreparedHasBegun() {
        let (control, prepared) = (StopControl(), StopControl(isPreparing: true))
        #expect(!control.isPreparing && prepared.isPreparing)
        prepared.begin()
        #expect(!prepared.isPreparing)
    }

    @Test func readingContinuesOnlyAfterAFailure() {
        let control = StopControl()
        #expect(!control.stopsReading)
        control.stop(.operationFailed)
        #expect(!control.stopsReading)
        control.stop(.resultsLost)
        #expect(control.stopsReading)
    }
}
