// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Reads from a pipe or a terminal until the end of the input, or until the run must stop. A stop interrupts waiting.
final class StreamReader: Sendable {
    /// The next part of the stream.
    enum Part: Equatable {
        case bytes([UInt8])
        /// The end of the input.
        case end
        /// The run stops: reading must end.
        case stopped
    }

    private let input: FileDescriptor
    private let control: StopControl
    /// The read end of a pipe that becomes and stays readable when the run must stop.
    private let stopped: FileDescriptor

    /// - Throws: an error if the process has no descriptor left.
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

    /// Waits for the next part of the stream. After a failed operation has stopped the run, input that is already
    /// available is still read.
    func next() throws(SystemError) -> Part {
        guard hasInput() else { return .stopped }
        let bytes = try input.read(upTo: 64 << 10)
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    /// Waits for input or its end. Returns false if reading must end.
    private func hasInput() -> Bool {
        while !control.stopsReading {
            let isDraining = control.reason != nil
            var entries = [input, stopped].map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
            // While the run drains, the stop pipe stays readable and has no new information.
            let count = poll(&entries, isDraining ? 1 : 2, isDraining ? 0 : -1)
            if count > 0 && entries[0].revents != 0 { return !control.stopsReading }
            if isDraining && count == 0 { return false }
        }
        return false
    }
}
