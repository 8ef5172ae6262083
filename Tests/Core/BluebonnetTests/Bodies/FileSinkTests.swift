// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The bytes given to a file sink are in its file when the sink reports it and when the round ends, however the sink
/// kept them in between.
@Suite(.timeLimit(.minutes(1)), .serialized) struct FileSinkTests {
    /// As many bytes as libcurl delivers at once.
    private static let piece = 16 * 1024
    private let folder: ScratchFolder
    private let url: URL

    init() throws {
        folder = try ScratchFolder()
        url = try #require(URL(string: "http://h/file"))
    }

    /// Opens a partial file and gives it its name, so that the test can read the file by that name.
    private func open(_ name: String = "out") throws -> PartialFile {
        let file = try PartialFile(destination: folder.path(name), url: url)
        try file.giveName()
        return file
    }

    /// Whether the file has the body, after the writes that its sinks requested.
    private func holds(_ body: Data, in file: PartialFile, _ name: String = "out") async -> Bool {
        await file.writesEnd()
        return (try? Data(contentsOf: URL(fileURLWithPath: folder.path(name + PartialFile.suffix)))) == body
    }

    /// Makes every later write to the file fail.
    private func fill(_ file: PartialFile) throws {
        let full = Glibc.open("/dev/full", O_RDWR | O_CLOEXEC)
        try #require(full >= 0 && dup2(full, file.descriptor) >= 0)
        close(full)
    }

    @Test(arguments: [1, 1000, piece - 1, piece, piece + 1, 20_000, 131_072, 131_073, 400_000])
    func piecesOfAnySizeAreWritten(size: Int) async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 1_000_003).prefix(size < 100 ? 10_000 : .max))
        try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(body, inPiecesOf: size)
            #expect(sink.byteCount == body.count)
            sink.settle()
        }
        #expect(await holds(body, in: file))
    }

    @Test func piecesOfARoundAreKeptUntilSettled() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 3 * Self.piece + 1))
        let kept = try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(body, inPiecesOf: Self.piece)
            let kept = sink.hasKeptBytes
            sink.settle()
            return [kept, sink.hasKeptBytes]
        }
        #expect(kept == [true, false])
        #expect(await holds(body, in: file))
    }

    @Test func keptBytesAreInTheFileWhenTheRoundEnds() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 2 * Self.piece))
        try await onNetworkThread { try FileSink(file).write(body, inPiecesOf: Self.piece) }
        try await onNetworkThread {}
        #expect(await holds(body, in: file))
    }

    @Test func partialSmallBodyIsWrittenWhenTheRoundEnds() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 100))
        let writtenByteCount = try await onNetworkThread {
            try FileSink(file).write(body, inPiecesOf: 100)
            return file.stamp?.byteCount
        }
        #expect(writtenByteCount == 0)
        try await onNetworkThread {}
        #expect(await holds(body, in: file))
    }

    @Test func completeSmallBodyIsWrittenWhenMovedIntoPlace() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 2_000))
        try await complete(body, file)
        try await onNetworkThread {}
        #expect(file.stamp?.byteCount == 0)
        #expect(try file.digest() == MessageDigest.hexadecimalDigest(of: body))
        #expect(try file.moveIntoPlace() == folder.path("out"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("out"))) == body)
        #expect(try file.digest() == MessageDigest.hexadecimalDigest(of: body))
    }

    @Test func smallBodyIsWrittenAtOnceWhenManyAreDeferred() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 2_000))
        var pending: [PendingSmallBody] = []
        while let one = PendingSmallBody(Data()) { pending.append(one) }
        #expect(pending.count <= PendingSmallBody.limit)
        try await complete(body, file)
        await file.writesEnd()
        #expect(file.stamp?.byteCount == 2_000)
        pending = []
        let other = try open("other")
        try await complete(body, other)
        #expect(other.stamp?.byteCount == 0)
        #expect(try other.moveIntoPlace() == folder.path("other"))
    }

    @Test func unwritableSmallBodyIsNotMovedIntoPlace() async throws {
        let file = try open()
        try await complete(Data(repeating: 7, count: 100), file)
        try fill(file)
        let error = #expect(throws: NetworkingError.self) { try file.moveIntoPlace() }
        #expect(error?.code == .cannotWriteFile)
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }

    @Test(arguments: [false, true]) func failedDownloadKeepsItsSmallBodyOnlyIfContinuable(canContinue: Bool)
        async throws
    {
        let (file, body) = (try open(), Data.patterned(byteCount: 100))
        try await complete(body, file)
        file.keepOrRemove(canContinue: canContinue)
        #expect(await holds(body, in: file) == canContinue)
    }

    @Test func restartDropsACompleteSmallBody() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 100))
        try await complete(Data(repeating: 7, count: 2_000), file)
        try await onNetworkThread { FileSink(file).startOver() }
        try await complete(body, file)
        _ = try file.moveIntoPlace()
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("out"))) == body)
    }

    /// A slow file system: the next body is complete before the file's queue has truncated the file.
    @Test(arguments: [false, true])
    func smallBodyCompleteBeforeTheTruncationIsWritten(isNamed: Bool) async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 100))
        let isFree = DispatchSemaphore(value: 0)
        let failure: NetworkingError? = try await withCheckedThrowingContinuation { ended in
            NetworkThread.shared.submit {
                let sink = FileSink(file)
                do {
                    try sink.write(Data(repeating: 7, count: 2_000), inPiecesOf: 2_000)
                    sink.settle()
                    file.queue.async { isFree.wait() }
                    sink.startOver(isNamed ? .named(nil) : .keepingName)
                    try sink.write(body, inPiecesOf: body.count)
                } catch { return ended.resume(throwing: error) }
                sink.complete()
                sink.settle()
                isFree.signal()
                sink.close { ended.resume(returning: $0) }
            }
        }
        #expect(failure == nil)
        #expect(try file.digest() == MessageDigest.hexadecimalDigest(of: body))
        _ = try file.moveIntoPlace()
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("out"))) == body)
    }

    private func complete(_ body: Data, _ file: PartialFile) async throws {
        try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(body, inPiecesOf: body.count)
            sink.complete()
            sink.settle()
        }
    }

    @Test func interleavedBodiesAreKeptApart() async throws {
        let (first, second) = (try open("a"), try open("b"))
        let (one, two) = (Data.patterned(byteCount: 400_000), Data(repeating: 7, count: 400_000))
        try await onNetworkThread {
            let (a, b) = (FileSink(first), FileSink(second))
            for start in stride(from: 0, to: 400_000, by: Self.piece) {
                try a.write(one.dropFirst(start).prefix(Self.piece), inPiecesOf: Self.piece)
                try b.write(two.dropFirst(start).prefix(Self.piece), inPiecesOf: Self.piece)
            }
            a.settle()
            b.settle()
        }
        #expect(await holds(one, in: first, "a"))
        #expect(await holds(two, in: second, "b"))
    }

    @Test func bytesKeptByAnotherSinkAreDroppedWithItsBody() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 100))
        for byteCount in [Self.piece, 2_000] {
            try await onNetworkThread {
                try FileSink(file).write(Data(repeating: 7, count: byteCount), inPiecesOf: Self.piece)
                FileSink(file).startOver()
            }
            try await onNetworkThread {}
            await file.writesEnd()
            #expect(file.stamp?.byteCount == 0)
        }
        try await onNetworkThread {
            try FileSink(file).write(Data(repeating: 7, count: Self.piece), inPiecesOf: Self.piece)
            let sink = FileSink(file)
            sink.startOver()
            try sink.write(body, inPiecesOf: 100)
        }
        try await onNetworkThread {}
        #expect(await holds(body, in: file))
    }

    @Test func largeBodyIsInTheFileAfterTheClose() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 3_000_001))
        let end = Observed([NetworkingError.Code?]())
        try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(body, inPiecesOf: Self.piece)
            #expect(sink.closesLater && sink.byteCount == body.count)
            sink.close { error in end.append(error?.code) }
        }
        await end.becomes([nil])
        #expect(await holds(body, in: file))
    }

    @Test func restartedLargeBodyLeavesNoOldBytes() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 400_000))
        try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(Data(repeating: 7, count: 3_000_000), inPiecesOf: Self.piece)
            sink.startOver()
            #expect(sink.byteCount == 0)
            try sink.write(body, inPiecesOf: Self.piece)
            sink.settle()
        }
        try await onNetworkThread {}
        #expect(await holds(body, in: file))
    }

    @Test func largeBodyContinuesAfterBeingSettled() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 2_000_003))
        try await onNetworkThread {
            let sink = FileSink(file)
            for start in stride(from: 0, to: body.count, by: 500_000) {
                try sink.write(body.dropFirst(start).prefix(500_000), inPiecesOf: Self.piece)
                sink.settle()
            }
        }
        #expect(await holds(body, in: file))
    }

    @Test func fileIsAsWrittenUntilChangedElsewhere() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 500_000))
        try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(body, inPiecesOf: Self.piece)
            sink.settle()
        }
        #expect(file.isAsWritten)
        #expect(file.stamp?.byteCount == 500_000)
        #expect(truncate(folder.path("out" + PartialFile.suffix), 7) == 0)
        #expect(!file.isAsWritten)
    }

    @Test func continuedFileIsAsWrittenBeforeItsFirstByte() throws {
        let record = PartialRecord(
            requestURL: url, responseURL: url, validator: .entityTag("\"v1\""), totalByteCount: 10)
        let first = try open()
        try first.setRecord(record)
        try Data("four".utf8).withUnsafeBytes { try first.write($0, at: 0) }
        first.keepOrRemove(canContinue: true)
        first.unlock()
        let second = try open()
        #expect(second.initialByteCount == 4 && second.isAsWritten)
        #expect(truncate(folder.path("out" + PartialFile.suffix), 3) == 0)
        #expect(!second.isAsWritten)
    }

    /// A suspended queue stands for a file system that does not respond.
    @Test func networkThreadNeverWaitsForTheFileSystem() async throws {
        let (file, body) = (try open(), Data.patterned(byteCount: 400_000))
        file.queue.suspend()
        let isWritten = try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(body, inPiecesOf: Self.piece)
            sink.settle()
            sink.startOver(.named(nil))
            try sink.write(body, inPiecesOf: Self.piece)
            sink.complete()
            return !sink.isBeingWritten
        }
        #expect(!isWritten && file.stamp?.byteCount == 0)
        file.queue.resume()
        #expect(await holds(body, in: file))
    }

    @Test func abandonedFileIsRemovedOnceTheFileSystemResponds() async throws {
        let file = try open()
        file.queue.suspend()
        try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(Data(count: 400_000), inPiecesOf: Self.piece)
            sink.abandon(canContinue: false)
        }
        #expect(FileManager.default.fileExists(atPath: folder.path("out" + PartialFile.suffix)))
        file.queue.resume()
        await file.writesEnd()
        #expect(!FileManager.default.fileExists(atPath: folder.path("out" + PartialFile.suffix)))
        #expect(PathReservation(folder.path("out" + PartialFile.suffix)) != nil, "the path is free")
    }

    /// The close writes the last piece of a large body, or the body was interrupted and is already settled.
    @Test(arguments: [false, true]) func unwritableLargeBodyReportsTheErrorAtTheClose(isSettled: Bool) async throws {
        let file = try open()
        let end = Observed([NetworkingError.Code?]())
        try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(Data(repeating: 7, count: 256 * 1024), inPiecesOf: Self.piece)
            try fill(file)
            try sink.write(Data(repeating: 7, count: 1000), inPiecesOf: 1000)
            if isSettled { sink.settle() }
            #expect(sink.closesLater)
            sink.close { error in end.append(error?.code) }
        }
        await end.becomes([.cannotWriteFile])
    }

    @Test func failedWriteFailsTheNextWriteAndTheClose() async throws {
        let (file, other) = (try open(), try open("other"))
        try fill(file)
        let piece = Data(repeating: 7, count: Self.piece)
        let sink = try await onNetworkThread {
            let sink = FileSink(file)
            try sink.write(piece, inPiecesOf: Self.piece)
            try FileSink(other).write(piece, inPiecesOf: Self.piece)  // the first sink's piece is written first
            sink.settle()
            return NetworkBound(sink)
        }
        await file.writesEnd()
        let end = Observed([NetworkingError.Code?]())
        try await onNetworkThread {
            let sink = sink.value
            do { try sink.write(piece, inPiecesOf: 1000) } catch { end.append((error as? NetworkingError)?.code) }
            sink.close { end.append($0?.code) }
        }
        #expect(end.value == [.cannotWriteFile, .cannotWriteFile])
        #expect(await holds(piece, in: other, "other"))
    }
}

extension PartialFile {
    /// Returns when the file's queue has finished the requested work.
    fileprivate func writesEnd() async {
        await withCheckedContinuation { waiter in queue.async { waiter.resume() } }
    }
}

extension FileSink {
    func write(_ data: Data, inPiecesOf size: Int) throws {
        var rest = data
        while !rest.isEmpty {
            try rest.prefix(size).withUnsafeBytes { try write($0) }
            rest = rest.dropFirst(size)
        }
    }
}

/// Runs `body` in a round of the process's event loop.
func onNetworkThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        NetworkThread.shared.submit { continuation.resume(with: Result { try body() }) }
    }
}

extension FileSink {
    /// A sink of the process's event loop; network thread only.
    convenience init(_ file: PartialFile) { self.init(file, writes: OperationRounds.process.value.writes) }
}
