// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Pieces are written at the end of their round. The test turns the event loop.
@Suite(.timeLimit(.minutes(1))) struct WriteCoalescerTests {
    private let folder: ScratchFolder
    private let turned = TurnedLoop()
    private let writes: WriteCoalescer

    init() throws {
        folder = try ScratchFolder()
        writes = WriteCoalescer(loop: turned.loop)
    }

    private func open(_ name: String) throws -> PartialFile {
        let file = try PartialFile(destination: folder.path(name), url: ScriptedNetwork.url("/file"))
        try file.giveName()
        return file
    }

    private func write(_ body: Data, to sink: FileSink) throws {
        try body.withUnsafeBytes { try sink.write($0) }
    }

    @Test func piecesAreWrittenWhenTheRoundEnds() throws {
        let (file, piece) = (try open("out"), Data.patterned(byteCount: 16 * 1024))
        let sink = FileSink(file, writes: writes)
        for round in 1...3 {
            try write(piece, to: sink)
            try write(piece, to: sink)
            #expect(file.stamp?.byteCount == Int64((round - 1) * 2 * piece.count))
            turned.turn()
            file.queue.sync {}
            #expect(file.stamp?.byteCount == Int64(round * 2 * piece.count))
        }
    }

    @Test func droppedBytesAreNotWritten() throws {
        let (file, other, piece) = (try open("a"), try open("b"), Data.patterned(byteCount: 16 * 1024))
        let (sink, kept) = (FileSink(file, writes: writes), FileSink(other, writes: writes))
        for sink in [sink, kept] {
            try write(piece, to: sink)
            try write(piece, to: sink)
        }
        writes.drop(file)
        turned.turn()
        for file in [file, other] { file.queue.sync {} }
        #expect(file.stamp?.byteCount == 0)
        #expect(other.stamp?.byteCount == Int64(2 * piece.count))
    }
}
