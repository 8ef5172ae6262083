// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// A drain writes all appended bytes in order or reports why it cannot, and few bytes wait.
@Suite(.timeLimit(.minutes(1))) struct BodyDrainTests {
    /// A file in memory that can block each write until the test allows it, and that fails beyond a size.
    private final class SlowFile: Sendable {
        let bytes = Observed(Data())
        let isBlocked = Observed(false)
        private let gate = DispatchSemaphore(value: 0)
        private let isSlow: Bool
        private let size: Int

        init(isSlow: Bool = false, size: Int = .max) { (self.isSlow, self.size) = (isSlow, size) }

        func letWrite() { gate.signal() }

        var writer: BodyDrain {
            BodyDrain(on: DispatchQueue(label: "slow-file")) { [self] piece, offset throws(NetworkingError) in
                try put(piece, offset)
            }
        }

        private func put(_ piece: Data, _ offset: Int64) throws(NetworkingError) {
            if isSlow {
                isBlocked.update { $0 = true }
                gate.wait()
                isBlocked.update { $0 = false }
            }
            guard Int(offset) + piece.count <= size else { throw NetworkingError(.cannotWriteFile, "full") }
            bytes.update { $0 = $0.prefix(Int(offset)) + piece }
        }
    }

    private func append(_ data: Data, in size: Int, to writer: BodyDrain) throws {
        var rest = data
        while !rest.isEmpty {
            if let failure = writer.failure { throw failure }
            writer.pipe.write(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }

    /// Returns the error code that `close` reports.
    private func close(_ writer: BodyDrain) async throws -> NetworkingError.Code? {
        let end = Observed([NetworkingError.Code?]())
        try await onNetworkThread { writer.close { error in end.append(error?.code) } }
        await end.becomes { $0.count == 1 }
        return end.value[0]
    }

    @Test(arguments: [1000, 16_384, 100_000, 5_000_000]) func fileIsWholeWhenTheWriterIsClosed(size: Int) async throws {
        let (file, body) = (SlowFile(), Data.patterned(byteCount: 5_000_003))
        let writer = file.writer
        try await onNetworkThread { try append(body, in: size, to: writer) }
        #expect(try await close(writer) == nil)
        #expect(file.bytes.value == body)
        #expect(try await close(writer) == nil, "once more, with nothing to write")
    }

    @Test func littleDataIsWrittenSoon() async throws {
        let file = SlowFile()
        let writer = file.writer
        try await onNetworkThread { try append(Data("little".utf8), in: 6, to: writer) }
        await file.bytes.becomes(Data("little".utf8))
    }

    @Test func networkThreadIsNotifiedOnceSpaceIsFree() async throws {
        let file = SlowFile(isSlow: true)
        let writer = file.writer
        let body = Data.patterned(byteCount: 2 * writer.capacity)
        let rooms = Observed(0)
        try await onNetworkThread {
            writer.pipe.whenWoken { rooms.update { $0 += 1 } }
            try append(body.prefix(200_000), in: 16_384, to: writer)
        }
        await file.isBlocked.becomes(true)  // the writer has taken the first bytes, or some of them
        let hadRoom = try await onNetworkThread {
            try append(body.dropFirst(200_000).prefix(writer.capacity), in: 16_384, to: writer)
            return writer.pipe.requestCapacity()
        }
        #expect(!hadRoom && rooms.value == 0)
        for _ in 0..<1000 { file.letWrite() }
        await rooms.becomes(1)
        #expect(try await onNetworkThread { writer.pipe.requestCapacity() })
        try await onNetworkThread { try append(body.dropFirst(200_000 + writer.capacity), in: 16_384, to: writer) }
        #expect(try await close(writer) == nil)
        #expect(file.bytes.value == body && rooms.value == 1)
    }

    @Test(arguments: [(1, 1024), (32, 1024), (64, 512), (128, 256), (10_000, 256)])
    func manyFilesShareTheMemory(count: Int, kibibytes: Int) {
        #expect(BodyDrain.capacity(atWork: count) == kibibytes * 1024)
    }

    /// 200 writers are active, then they are released. Other tests have fewer than 128 in all.
    @Test func idleWritersHaveNoShareOfTheMemory() {
        let file = SlowFile()
        #expect((0..<200).map { _ in file.writer }.last?.capacity == 256 * 1024)
        #expect(file.writer.capacity > 256 * 1024)
    }

    @Test func beginRunsBeforeTheFirstBytes() async throws {
        let log = Observed([String]())
        let writer = BodyDrain(on: DispatchQueue(label: "log")) {
            log.append("begin")
        } put: { piece, _ throws(NetworkingError) in
            log.append(String(decoding: piece, as: UTF8.self))
        } end: {
            log.append("end")
        }
        try await onNetworkThread { try append(Data("ab".utf8), in: 1, to: writer) }
        #expect(try await close(writer) == nil)
        #expect(log.value == ["begin", "a", "b", "end"])
    }

    @Test func failedBeginWritesNothing() async throws {
        let file = SlowFile()
        let writer = BodyDrain(on: DispatchQueue(label: "full")) { () throws(NetworkingError) in
            throw NetworkingError(.cannotOpenFile, "in use")
        } put: { piece, _ throws(NetworkingError) in
            file.bytes.update { $0 += piece }
        }
        writer.pipe.write(Data("ab".utf8))
        #expect(try await close(writer) == .cannotOpenFile)
        #expect(file.bytes.value.isEmpty)
    }

    @Test func failedWriteFailsLaterPiecesAndTheClose() async throws {
        let (file, body) = (SlowFile(size: 300_000), Data.patterned(byteCount: 400_000))
        let writer = file.writer
        try await onNetworkThread { try append(body.prefix(250_000), in: 16_384, to: writer) }
        await file.bytes.becomes { $0.count == 250_000 }
        try await onNetworkThread { try append(body.suffix(150_000), in: 150_000, to: writer) }
        #expect(try await close(writer) == .cannotWriteFile)
        let codes = try await onNetworkThread {
            var codes: [NetworkingError.Code?] = []
            do { try append(Data([1]), in: 1, to: writer) } catch { codes.append((error as? NetworkingError)?.code) }
            return codes
        }
        #expect(codes == [.cannotWriteFile])
        #expect(try await close(writer) == .cannotWriteFile)
        #expect(file.bytes.value == body.prefix(250_000))
    }

    /// A writer that waits for space must not wait forever.
    @Test func failureFreesSpace() async throws {
        let file = SlowFile(isSlow: true, size: 0)
        let writer = file.writer
        let rooms = Observed(0)
        try await onNetworkThread {
            writer.pipe.whenWoken { rooms.update { $0 += 1 } }
            try append(Data(count: 200_000), in: 16_384, to: writer)
        }
        await file.isBlocked.becomes(true)
        let hadRoom = try await onNetworkThread {
            try append(Data(count: writer.capacity), in: 16_384, to: writer)
            return writer.pipe.requestCapacity()
        }
        #expect(!hadRoom)
        for _ in 0..<10 { file.letWrite() }
        await rooms.becomes(1)
        #expect(try await close(writer) == .cannotWriteFile)
        #expect(file.bytes.value.isEmpty)
    }

    @Test func discardDropsPendingBytesWithoutWaiting() async throws {
        let file = SlowFile(isSlow: true)
        let writer = file.writer
        try await onNetworkThread { try append(Data(count: 200_000), in: 16_384, to: writer) }
        await file.isBlocked.becomes(true)
        let isClosed = try await onNetworkThread {
            try append(Data(count: writer.capacity), in: 16_384, to: writer)
            writer.discard()
            return writer.pipe.readerEnd != nil
        }
        #expect(!isClosed, "the write in progress is not over")
        for _ in 0..<10 { file.letWrite() }
        #expect(try await close(writer) == nil)
        #expect((1...200_000).contains(file.bytes.value.count))
    }
}
