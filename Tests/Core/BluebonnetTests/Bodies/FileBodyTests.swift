// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The effect of each event on the bytes of a file's body.
@Suite struct FileBodyTests {
    enum Event: Sendable, CustomTestStringConvertible {
        case receive(Int)
        case roundEnds, complete, drop

        var testDescription: String { "\(self)" }
    }

    /// An effect, with the number of bytes instead of the bytes.
    enum Effect: Sendable, Equatable {
        case awaitEndOfRound
        case write(Int)
        case keepWhole(Int)
    }

    struct Row: Sendable {
        var initialByteCount: Int64 = 0
        let events: [Event]
        let effects: [Effect]
        var keptByteCount = 0
    }

    private static let block = FileBody.blockByteCount
    private static let whole = FileBody.wholeByteCount

    static let rows = [
        Row(events: [.complete], effects: []),
        Row(events: [.roundEnds], effects: []),
        Row(events: [.receive(0)], effects: []),
        Row(events: [.receive(10)], effects: [.awaitEndOfRound], keptByteCount: 10),
        Row(events: [.receive(10), .receive(5)], effects: [.awaitEndOfRound], keptByteCount: 15),
        Row(events: [.receive(10), .roundEnds], effects: [.awaitEndOfRound, .write(10)]),
        Row(
            events: [.receive(10), .roundEnds, .receive(5), .roundEnds],
            effects: [.awaitEndOfRound, .write(10), .awaitEndOfRound, .write(5)]),
        Row(events: [.receive(10), .roundEnds, .roundEnds], effects: [.awaitEndOfRound, .write(10)]),
        Row(events: [.receive(10), .drop, .roundEnds], effects: [.awaitEndOfRound]),
        // A body that completes in the round in which it began is kept, unless it is too large.
        Row(events: [.receive(10), .complete, .roundEnds], effects: [.awaitEndOfRound, .keepWhole(10)]),
        Row(events: [.receive(10), .receive(whole - 10), .complete], effects: [.awaitEndOfRound, .keepWhole(whole)]),
        Row(events: [.receive(whole + 1), .complete], effects: [.awaitEndOfRound, .write(whole + 1)]),
        Row(
            events: [.receive(10), .roundEnds, .receive(5), .complete],
            effects: [.awaitEndOfRound, .write(10), .awaitEndOfRound, .write(5)]),
        Row(initialByteCount: 100, events: [.receive(10), .complete], effects: [.awaitEndOfRound, .write(10)]),
        // A full block is written before the round ends.
        Row(events: [.receive(block - 1)], effects: [.awaitEndOfRound], keptByteCount: block - 1),
        Row(events: [.receive(block), .roundEnds], effects: [.write(block)]),
        Row(
            events: [.receive(block - 1), .receive(9), .receive(7)],
            effects: [.awaitEndOfRound, .write(block + 8), .awaitEndOfRound], keptByteCount: 7),
        Row(events: [.receive(block), .receive(9), .complete], effects: [.write(block), .awaitEndOfRound, .write(9)]),
    ]

    @Test(arguments: rows) func eventsProduceTheExpectedEffects(row: Row) {
        var body = FileBody(byteCount: row.initialByteCount)
        var (effects, receivedByteCount) = ([Effect](), Int64(0))
        for event in row.events {
            if let effect = Self.apply(event, to: &body) { effects.append(Self.counted(effect)) }
            if case .receive(let count) = event { receivedByteCount += Int64(count) }
            #expect(body.byteCount == row.initialByteCount + receivedByteCount)
        }
        #expect(effects == row.effects)
        #expect(body.kept.count == row.keptByteCount)
        #expect(body.hasKeptBytes == (row.keptByteCount > 0))
    }

    private static func apply(_ event: Event, to body: inout FileBody) -> FileBody.Effect? {
        switch event {
        case .receive(let count): return [UInt8](repeating: 7, count: count).withUnsafeBytes { body.receive($0) }
        case .roundEnds: return body.roundEnds()
        case .complete: return body.complete()
        case .drop: body.dropKept()
        }
        return nil
    }

    private static func counted(_ effect: FileBody.Effect) -> Effect {
        switch effect {
        case .awaitEndOfRound: .awaitEndOfRound
        case .write(let bytes): .write(bytes.count)
        case .keepWhole(let bytes): .keepWhole(bytes.count)
        }
    }

    @Test func bytesKeepTheirOrder() {
        var (body, file) = (FileBody(), Data())
        for number in 0..<40 {
            let piece = Data(repeating: UInt8(number), count: number * 997)
            if case .write(let bytes)? = piece.withUnsafeBytes({ body.receive($0) }) { file += bytes }
            if number % 3 == 2, case .write(let bytes)? = body.roundEnds() { file += bytes }
        }
        if case .write(let bytes)? = body.complete() { file += bytes }
        #expect(file == (0..<40).reduce(into: Data()) { $0 += Data(repeating: UInt8($1), count: $1 * 997) })
    }
}
