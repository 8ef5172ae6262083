// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// How often the library calls libcurl while a transfer is paused.
@Suite struct BusyPauseTests {
    @Test func intervalsGrowUpToALimit() {
        var pause = BusyPause()
        let milliseconds = (0..<BusyPause.freeTurnCount + 9).map { _ in pause.nextDelay() / 1_000_000 }
        #expect(milliseconds == [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 64, 64])
    }

    @Test func intervalsRestartAfterAnEvent() {
        var pause = BusyPause()
        for _ in 0..<1000 { _ = pause.nextDelay() }
        #expect(pause.nextDelay() == BusyPause.longestDelay && pause.isDelaying)
        pause.reset()
        #expect(!pause.isDelaying)
        #expect(pause.nextDelay() == 0)
    }
}
