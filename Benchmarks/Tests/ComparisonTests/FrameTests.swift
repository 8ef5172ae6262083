// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Testing

@Suite struct FrameTests {
    @Test func frameBeginsWithLengthTypeFlagsAndStream() {
        let frame = Frame.data("abc", isLast: true)
        #expect(frame.encoded(requestStream: 5) == [0, 0, 3, 0, 1, 0, 0, 0, 5, 97, 98, 99])
        #expect(Frame.settings([4: 0]).encoded(requestStream: 5) == [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])
        #expect(Frame.goAway(last: 1, code: 2).payload == [0, 0, 0, 1, 0, 0, 0, 2])
    }

    @Test func headerFieldsAreLiteralsWithTheirLengths() {
        let frame = Frame.headers([("a", "bc")])
        #expect(frame.flags == 4)
        #expect(frame.payload == [0, 1, 97, 2, 98, 99])
    }

    @Test func longValuesHaveLongLengths() {
        // RFC 7541, 5.1: 127, then the remainder in groups of seven bits, the lowest group first.
        let payload = Frame.headers([("a", String(repeating: "b", count: 127 + 300))]).payload
        #expect(payload.prefix(6) == [0, 1, 97, 127, 0xAC, 0x02])
        #expect(payload.count == 6 + 427)
    }
}
