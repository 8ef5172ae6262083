// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct BoxTests {
    @Test func changedCopyDoesNotAffectOriginal() {
        let first = Box([1, 2])
        let second = first.changed { $0.append(3) }
        #expect(first.value == [1, 2])
        #expect(second.value == [1, 2, 3])
    }

    @Test func errorHasValueSemantics() {
        let first = NetworkingError(.timedOut, "late")
        var second = first
        second.code = .cancelled
        second.message = "stopped"
        #expect(first.code == .timedOut)
        #expect(first.message == "late")
        #expect(second.code == .cancelled)
        #expect(second.message == "stopped")
    }

    @Test func errorIsOneMachineWord() {
        #expect(MemoryLayout<NetworkingError?>.size == MemoryLayout<UInt>.size)
    }
}
