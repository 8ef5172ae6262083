// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// What is to be done with the bytes of a file's body, event by event.
@Suite struct FileBodyTests {
    enum Event: Sendable, CustomTestStringConvertible {
        case take(Int)
        case roundEnds, settle, complete, drop

        var testDescription: String { "\(self)" }
    }

    /// An effect, with the number of bytes in place of the bytes.
    enum Effect: Sendable, Equatable {
        case awaitEndOfRound
        case write(Int, at: Int64)
        case keepWhole(Int)
        case beginStream(Int, at: Int64)
        case stream(Int)
        case endStream(Int)
    }

    struct Row: Sendable {
        var initialByteCount: Int64 = 0
        let events: [Event]
        let effects: [Effect]
        var isStreaming = false
        var keptByteCount = 0
    }

    private static let large = Int(FileBody.streamByteCount)
    private static let block = FileBody.blockByteCount
    private static let whole = FileBody.wholeByteCount

    static let rows = [
        Row(events: [.settle], effects: []),
        Row(events: [.complete], effects: []),
        Row(events: [.roundEnds], effects: []),
        Row(events: [.take(0)], effects: []),
        Row(events: [.take(10)], effects: [.awaitEndOfRound], keptByteCount: 10),
        Row(events: [.take(10), .take(5)], effects: [.awaitEndOfRound], keptByteCount: 15),
        Row(events: [.take(10), .roundEnds], effects: [.awaitEndOfRound, .write(10, at: 0)]),
        Row(
            events: [.take(10), .roundEnds, .take(5), .settle],
            effects: [.awaitEndOfRound, .write(10, at: 0), .awaitEndOfRound, .write(5, at: 10)]),
        Row(events: [.take(10), .settle, .roundEnds], effects: [.awaitEndOfRound, .write(10, at: 0)]),
        Row(events: [.take(10), .drop, .roundEnds], effects: [.awaitEndOfRound]),
        // A body that is complete in the round in which it began is kept, unless it is too large for that.
        Row(events: [.take(10), .complete, .settle], effects: [.awaitEndOfRound, .keepWhole(10)]),
        Row(events: [.take(10), .take(whole - 10), .complete], effects: [.awaitEndOfRound, .keepWhole(whole)]),
        Row(events: [.take(whole + 1), .complete], effects: [.awaitEndOfRound, .write(whole + 1, at: 0)]),
        Row(
            events: [.take(10), .roundEnds, .take(5), .complete],
            effects: [.awaitEndOfRound, .write(10, at: 0), .awaitEndOfRound, .write(5, at: 10)]),
        Row(
            initialByteCount: 100, events: [.take(10), .complete],
            effects: [.awaitEndOfRound, .write(10, at: 100)]),
        // A large one streams from the byte on that makes it large, behind what is written.
        Row(events: [.take(large - 1)], effects: [.awaitEndOfRound], keptByteCount: large - 1),
        Row(events: [.take(large)], effects: [.beginStream(large, at: 0)], isStreaming: true),
        Row(
            events: [.take(large - 1), .take(1), .take(7), .roundEnds],
            effects: [.awaitEndOfRound, .beginStream(large, at: 0), .awaitEndOfRound, .stream(7)], isStreaming: true),
        // A stream takes blocks, and the rest of a round.
        Row(
            events: [.take(large), .take(block - 1)], effects: [.beginStream(large, at: 0), .awaitEndOfRound],
            isStreaming: true, keptByteCount: block - 1),
        Row(
            events: [.take(large), .take(block - 1), .take(9), .roundEnds],
            effects: [.beginStream(large, at: 0), .awaitEndOfRound, .stream(block + 8)], isStreaming: true),
        Row(
            events: [.take(large), .take(9), .settle],
            effects: [.beginStream(large, at: 0), .awaitEndOfRound, .endStream(9)]),
        Row(
            events: [.take(large), .take(9), .complete],
            effects: [.beginStream(large, at: 0), .awaitEndOfRound, .endStream(9)]),
        Row(
            events: [.take(large), .take(9), .drop, .roundEnds],
            effects: [.beginStream(large, at: 0), .awaitEndOfRound], isStreaming: true),
        Row(
            events: [.take(10), .roundEnds, .take(large - 10)],
            effects: [.awaitEndOfRound, .write(10, at: 0), .beginStream(large - 10, at: 10)], isStreaming: true),
        Row(
            initialByteCount: 1_000_000, events: [.take(10), .take(large - 10)],
            effects: [.awaitEndOfRound, .beginStream(large, at: 1_000_000)], isStreaming: true),
        Row(events: [.take(large), .drop], effects: [.beginStream(large, at: 0)], isStreaming: true),
        Row(events: [.take(large), .complete], effects: [.beginStream(large, at: 0), .endStream(0)]),
        // After a pause it is small again.
        Row(
            events: [.take(large), .settle, .take(10), .settle],
            effects: [.beginStream(large, at: 0), .endStream(0), .awaitEndOfRound, .write(10, at: Int64(large))]),
        Row(
            events: [.take(large), .settle, .take(large)],
            effects: [.beginStream(large, at: 0), .endStream(0), .beginStream(large, at: Int64(large))],
            isStreaming: true),
        Row(
            events: [.take(large), .settle, .take(10), .complete],
            effects: [.beginStream(large, at: 0), .endStream(0), .awaitEndOfRound, .write(10, at: Int64(large))]),
    ]

    @Test(arguments: rows) func bytesGoWhereTheirBodyWantsThem(row: Row) {
        var body = FileBody(byteCount: row.initialByteCount)
        var (effects, takenByteCount) = ([Effect](), Int64(0))
        for event in row.events {
            if let effect = Self.apply(event, to: &body) { effects.append(Self.counted(effect)) }
            if case .take(let count) = event { takenByteCount += Int64(count) }
            #expect(body.byteCount == row.initialByteCount + takenByteCount)
        }
        #expect(effects == row.effects)
        #expect(body.hasKeptBytes == (row.keptByteCount > 0))
        switch body.mode {
        case .small(let kept): #expect(!row.isStreaming && kept.count == row.keptByteCount)
        case .streaming(let kept): #expect(row.isStreaming && kept.count == row.keptByteCount)
        }
    }

    private static func apply(_ event: Event, to body: inout FileBody) -> FileBody.Effect? {
        switch event {
        case .take(let count): return [UInt8](repeating: 7, count: count).withUnsafeBytes { body.take($0) }
        case .roundEnds: return body.roundEnds()
        case .settle: return body.settle()
        case .complete: return body.complete()
        case .drop: body.dropKept()
        }
        return nil
    }

    private static func counted(_ effect: FileBody.Effect) -> Effect {
        switch effect {
        case .awaitEndOfRound: .awaitEndOfRound
        case .write(let bytes, let offset): .write(bytes.count, at: offset)
        case .keepWhole(let bytes): .keepWhole(bytes.count)
        case .beginStream(let bytes, let offset): .beginStream(bytes.count, at: offset)
        case .stream(let bytes): .stream(bytes.count)
        case .endStream(let bytes): .endStream(bytes.count)
        }
    }

    @Test func bytesKeepTheirOrder() {
        var (body, file) = (FileBody(), Data())
        for number in 0..<40 {
            let piece = Data(repeating: UInt8(number), count: number * 97)
            if case .beginStream(let bytes, let offset)? = piece.withUnsafeBytes({ body.take($0) }) {
                file = file.prefix(Int(offset)) + bytes
            }
            guard number % 3 == 2, case .write(let bytes, let offset)? = body.roundEnds() else { continue }
            #expect(offset == file.count)
            file += bytes
        }
        if case .write(let bytes, _)? = body.settle() { file += bytes }
        #expect(file == (0..<40).reduce(into: Data()) { $0 += Data(repeating: UInt8($1), count: $1 * 97) })
    }
}
