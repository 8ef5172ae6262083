// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// For each event: what each end of a pipe of four bytes receives, and which end the pipe wakes.
@Suite struct PipeStateTests {
    enum Event: Sendable {
        case hasRoom
        case write(String)
        case finish
        case fail
        case drop
        case next
        /// Takes at most this many bytes; `declared` is the length that the body must have.
        case take(Int, declared: Int64? = nil)
        case close
    }

    enum Answer: Equatable, Sendable {
        case yes, no
        case wakes(PipeState.Ends)
        case bytes(String)
        case end, failure, nothing
    }

    struct Row: Sendable {
        let events: [Event]
        /// The answers to each event. A wake follows the event's own result.
        let answers: [[Answer]]
    }

    static let rows = [
        // Room
        Row(events: [.hasRoom], answers: [[.yes]]),
        Row(events: [.write("abc"), .hasRoom], answers: [[], [.yes]]),
        Row(events: [.write("abcd"), .hasRoom], answers: [[], [.no]]),
        Row(events: [.write("abc"), .write("defgh"), .hasRoom, .next], answers: [[], [], [.no], [.bytes("abc")]]),
        Row(
            events: [.write("abc"), .write("de"), .hasRoom, .next, .hasRoom],
            answers: [[], [], [.no], [.bytes("abc"), .wakes(.writer)], [.yes]]),
        Row(events: [.write("abcd"), .next], answers: [[], [.bytes("abcd")]]),
        Row(
            events: [.write("abcd"), .hasRoom, .take(1), .take(1), .take(1)],
            answers: [[], [.no], [.bytes("a")], [.bytes("b"), .wakes(.writer)], [.bytes("c")]]),
        // The reader
        Row(events: [.next, .write("a"), .write("b")], answers: [[.nothing], [.wakes(.reader)], []]),
        Row(events: [.take(9), .write("a"), .take(9)], answers: [[.nothing], [.wakes(.reader)], [.bytes("a")]]),
        Row(events: [.write(""), .next], answers: [[], [.nothing]]),
        Row(events: [.write("ab"), .write("c"), .take(9)], answers: [[], [], [.bytes("abc")]]),
        Row(
            events: [.write("ab"), .write("cd"), .take(3), .take(3)],
            answers: [[], [], [.bytes("abc")], [.bytes("d")]]),
        Row(events: [.next, .next, .write("a")], answers: [[.nothing], [.nothing], [.wakes(.reader)]]),
        // The writer's end
        Row(events: [.finish, .next, .take(1)], answers: [[], [.end], [.end]]),
        Row(events: [.next, .finish, .next], answers: [[.nothing], [.wakes(.reader)], [.end]]),
        Row(events: [.write("a"), .finish, .next, .next], answers: [[], [], [.bytes("a")], [.end]]),
        Row(events: [.write("a"), .fail, .next, .next], answers: [[], [], [.bytes("a")], [.failure]]),
        Row(events: [.write("a"), .fail, .take(9), .take(9)], answers: [[], [], [.bytes("a")], [.failure]]),
        Row(events: [.finish, .fail, .next], answers: [[], [], [.end]]),
        Row(events: [.fail, .finish, .next], answers: [[], [], [.failure]]),
        Row(events: [.finish, .write("a"), .next], answers: [[], [], [.end]]),
        Row(events: [.write("a"), .drop, .next], answers: [[], [], [.end]]),
        // A declared length
        Row(
            events: [.write("abc"), .take(9, declared: 3), .take(9, declared: 3), .finish, .take(9, declared: 3)],
            answers: [[], [.bytes("ab")], [.nothing], [.wakes(.reader)], [.bytes("c")]]),
        Row(
            events: [.write("abc"), .finish, .take(9, declared: 3), .take(9, declared: 3)],
            answers: [[], [], [.bytes("abc")], [.end]]),
        Row(
            events: [.write("abcd"), .take(9, declared: 3), .fail, .take(9, declared: 3)],
            answers: [[], [.bytes("ab")], [], [.failure]]),
        Row(events: [.write("a"), .take(9, declared: 0)], answers: [[], [.nothing]]),
        Row(
            events: [.write("abcd"), .hasRoom, .take(9, declared: 1)],
            answers: [[], [.no], [.nothing]]),
        // The reader's end
        Row(events: [.close, .hasRoom, .write("a"), .next], answers: [[.wakes(.writer)], [.yes], [], [.nothing]]),
        Row(events: [.close, .close], answers: [[.wakes(.writer)], []]),
        Row(events: [.write("abcd"), .hasRoom, .close, .hasRoom], answers: [[], [.no], [.wakes(.writer)], [.yes]]),
        Row(events: [.write("a"), .close, .finish, .next], answers: [[], [.wakes(.writer)], [], [.end]]),
        Row(events: [.next, .close, .finish], answers: [[.nothing], [.wakes(.writer)], [.wakes(.reader)]]),
        Row(events: [.finish, .close], answers: [[], [.wakes(.writer)]]),
    ]

    @Test(arguments: rows) func eventsGiveTheExpectedResultsAndWakes(row: Row) {
        var pipe = PipeState(capacity: 4)
        let answers = row.events.map { Self.apply($0, to: &pipe) }
        #expect(answers == row.answers)
        #expect(pipe.byteCount >= 0)
    }

    private static func apply(_ event: Event, to pipe: inout PipeState) -> [Answer] {
        switch event {
        case .hasRoom: [pipe.requestCapacity() ? .yes : .no]
        case .write(let text): woken(pipe.write(Data(text.utf8)))
        case .finish: woken(pipe.finish(.complete))
        case .fail: woken(pipe.finish(.failed(POSIXError(.EIO))))
        case .drop: woken(pipe.finish(.complete, isDropping: true))
        case .next: next(pipe.next())
        case .take(let count, let declared): copy(count, declared, &pipe)
        case .close: woken(pipe.close(.complete))
        }
    }

    private static func woken(_ ends: PipeState.Ends) -> [Answer] { ends.isEmpty ? [] : [.wakes(ends)] }

    private static func next(_ given: (item: PipeState.Item?, ends: PipeState.Ends)) -> [Answer] {
        let answer: Answer =
            switch given.item {
            case .chunk(let data)?: .bytes(String(decoding: data, as: UTF8.self))
            case .end(.complete)?: .end
            case .end(.failed)?: .failure
            case nil: .nothing
            }
        return [answer] + woken(given.ends)
    }

    private static func copy(_ count: Int, _ declared: Int64?, _ pipe: inout PipeState) -> [Answer] {
        var bytes = [UInt8](repeating: 0, count: count)
        let (taken, ends) = bytes.withUnsafeMutableBytes { pipe.copyBytes(into: $0, declaredByteCount: declared) }
        let answer: Answer =
            switch taken {
            case .success(0)?: .end
            case .success(let count)?: .bytes(String(decoding: bytes.prefix(count), as: UTF8.self))
            case .failure?: .failure
            case nil: .nothing
            }
        return [answer] + woken(ends)
    }
}
