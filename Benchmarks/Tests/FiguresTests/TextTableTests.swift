// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Testing

@Suite struct TextTableTests {
    @Test func firstColumnIsLeftAlignedAndOthersRight() {
        let table = TextTable(rows: [["", "requests/s"], ["libcurl in C", "7"], ["µ", "12345"]])
        #expect(
            table.lines == [
                "              requests/s",
                "libcurl in C           7",
                "µ                  12345",
            ])
    }

    @Test func shortRowsAreAllowed() {
        #expect(TextTable(rows: [["a"], ["b", "c"]]).lines == ["a", "b  c"])
    }
}
