// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// The lines of a dependency graph in a trace: slices on threads of the process of lines, so that arrows can connect
/// them. Two lines that run at the same time are on two threads.
struct TraceLines: Sendable {
    private struct Slice {
        let thread: Int
        let begin: UInt64
        var end: UInt64
    }

    /// The shortest slice, in nanoseconds: an arrow needs one to begin in.
    private static let shortest: UInt64 = 1000

    private var open: [Int: (line: ObservedLine, slice: Slice)] = [:]
    /// The lines that have ended and that other lines depend on.
    private var ended: [ByteString: Slice] = [:]
    /// When each thread is free again; `UInt64.max` while it has a line.
    private var threads: [UInt64] = []
    private var arrowCount = 0

    /// Begins the slice of a line, if the line is a part of the graph.
    mutating func begin(_ line: ObservedLine, _ operation: Int, at instant: UInt64) {
        guard line.isConnected else { return }
        let thread = threads.firstIndex { $0 <= instant } ?? threads.count
        if thread == threads.count { threads.append(0) }
        threads[thread] = .max
        open[operation] = (line, Slice(thread: thread, begin: instant, end: instant))
    }

    /// Ends the slice of an operation's line. Returns the events: the slice, and the arrows from its dependencies.
    mutating func end(_ operation: Int, at instant: UInt64) -> [String] {
        guard let (line, begun) = open.removeValue(forKey: operation) else { return [] }
        var slice = begun
        slice.end = max(instant, slice.begin + Self.shortest)
        threads[slice.thread] = slice.end
        if line.isNeeded { ended[ByteString(line.id)] = slice }
        var events = [Self.event(line.id, slice)]
        for dependency in line.dependencies {
            guard let from = ended[ByteString(dependency)] else { continue }
            arrowCount += 1
            events.append(arrow("s", from.thread, at: from.end - Self.shortest))
            events.append(arrow("f", slice.thread, at: slice.begin))
        }
        return events
    }

    private static func event(_ name: String, _ slice: Slice) -> String {
        TraceWriter.object { text in
            text.member("ph", "X")
            text.member("cat", "line")
            text.member("name", name)
            text.member("pid", 1)
            text.member("tid", slice.thread + 1)
            text.member(at: slice.begin)
            text.key("dur")
            text.token(EventText.microseconds(slice.end - slice.begin))
        }
    }

    private func arrow(_ kind: String, _ thread: Int, at instant: UInt64) -> String {
        TraceWriter.object { text in
            text.member("ph", kind)
            // The arrow ends at the slice that contains the instant, not at the next slice.
            if kind == "f" { text.member("bp", "e") }
            text.member("cat", "dependency")
            text.member("name", "after")
            text.member("id", arrowCount)
            text.member("pid", 1)
            text.member("tid", thread + 1)
            text.member(at: instant)
        }
    }
}
