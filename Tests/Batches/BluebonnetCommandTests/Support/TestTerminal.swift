// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A pseudo-terminal. The process sees a terminal; the test sees what is written to it.
struct TestTerminal: Sendable {
    /// The end for the process.
    let inside: Int32
    private let outside: Int32

    // TIOCSPTLCK and TIOCGPTN, macros that Swift does not import (ioctl_tty(2)).
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init(columns: Int) throws {
        outside = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        guard outside >= 0, ioctl(outside, Self.setLock, &isLocked) == 0, ioctl(outside, Self.getNumber, &number) == 0
        else { throw POSIXError(.ENXIO) }
        inside = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard inside >= 0 else { throw POSIXError(.ENXIO) }
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(inside, UInt(TIOCSWINSZ), &size)
    }

    func close() {
        _ = Glibc.close(inside)
        _ = Glibc.close(outside)
    }

    /// Reads until the text has arrived, nothing more can arrive, or the waiting task is cancelled.
    func read(until text: String) async -> String {
        var all = ""
        while !all.hasSuffix(text), let byte = await DescriptorInput(descriptor: outside).read(upTo: 1).first {
            all.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return all
    }
}
