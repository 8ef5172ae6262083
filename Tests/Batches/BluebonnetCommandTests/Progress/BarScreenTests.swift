// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct BarScreenTests {
    @Test func linesAreDrawnOverEarlierOnesWithoutScrolling() {
        var screen = BarScreen()
        #expect(screen.draw(["a", "b"]) == "\u{1B}[?25l\ra\u{1B}[K\nb\u{1B}[K\u{1B}[J")
        #expect(screen.draw(["c"]) == "\r\u{1B}[1Ac\u{1B}[K\u{1B}[J")
        #expect(screen.draw(["d", "e", "f"]) == "\rd\u{1B}[K\ne\u{1B}[K\nf\u{1B}[K\u{1B}[J")
        #expect(screen.draw(["g"]) == "\r\u{1B}[2Ag\u{1B}[K\u{1B}[J")
    }

    @Test func erasingShowsTheCursorAgainOnce() {
        var screen = BarScreen()
        #expect(screen.erase() == "")
        _ = screen.draw(["a", "b"])
        #expect(screen.erase() == "\r\u{1B}[1A\u{1B}[J\u{1B}[?25h")
        #expect(screen.erase() == "")
        #expect(screen.draw(["a"]) == "\u{1B}[?25l\ra\u{1B}[K\u{1B}[J")
    }
}
