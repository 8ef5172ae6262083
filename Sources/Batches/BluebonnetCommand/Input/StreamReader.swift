// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Reads from a pipe or a terminal until its end, or until a run is to stop: it never waits longer than that.
final class StreamReader: Sendable {
    /// The next part of the stream.
    enum Part: Equatable {
        case bytes([UInt8])
        /// The end of the input.
        case end
        /// Nothing more is to be read.
        case stopped
    }

    private let input: FileDescriptor
    private let control: StopControl
    /// The end of a pipe that becomes and stays readable when the run is to stop.
    private let stopped: FileDescriptor

    /// - Throws: when the process has no descriptor left.
    init(_ input: FileDescriptor, control: StopControl) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError.latest }
        (self.input, self.control, stopped) = (input, control, FileDescriptor(ends[0]))
        let other = FileDescriptor(ends[1])
        control.onStop { _ in
            var byte: ArraySlice<UInt8> = [1]
            try? other.write(&byte)
        }
    }

    /// Waits for what comes next. After a failure that ends the run, what is there already is still read.
    func next() throws(SystemError) -> Part {
        guard hasInput() else { return .stopped }
        let bytes = try input.read(upTo: 64 << 10)
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    /// Waits for input, or for its end; false when none is to be read any more.
    private func hasInput() -> Bool {
        while !control.isAtOnce {
            let isDraining = control.reason != nil
            var entries = [input, stopped].map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
            // While it drains, the pipe would only say again what is known.
            let count = poll(&entries, isDraining ? 1 : 2, isDraining ? 0 : -1)
            if count > 0 && entries[0].revents != 0 { return !control.isAtOnce }
            if isDraining && count == 0 { return false }
        }
        return false
    }
}
