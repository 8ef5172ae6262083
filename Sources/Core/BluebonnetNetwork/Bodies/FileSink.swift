// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// The sink that writes a body to a file, as `FileBody` decides. Network thread only.
///
/// The network thread makes no file system calls. The file's queue truncates, names and writes the file, in the order
/// of the sink's calls. The next write throws an error of the queue, and `close` reports it.
package final class FileSink: BodySink {
    package let file: PartialFile
    private var body: FileBody
    /// Does the work of the file's queue; nil before there is any.
    private var drain: BodyDrain?
    private let writes: WriteCoalescer
    private let sinkBecameWritable: (() -> Void)?

    /// - Parameters:
    ///   - writes: makes the sink write its buffered bytes at the end of a round.
    ///   - sinkBecameWritable: called when a full sink accepts bytes again.
    package init(_ file: PartialFile, writes: WriteCoalescer, sinkBecameWritable: (() -> Void)? = nil) {
        self.file = file
        self.writes = writes
        self.sinkBecameWritable = sinkBecameWritable
        body = FileBody(byteCount: file.initialByteCount)
    }

    /// The bytes that were passed to `write`, including pending ones.
    package var byteCount: Int64 { body.byteCount }
    package var byteLimit: Int? { nil }
    package func requestCapacity() -> Bool { drain?.pipe.requestCapacity() ?? true }
    package var closesLater: Bool { drain != nil }
    /// Whether the file's queue is still at work or, before its first work, whether bytes are buffered.
    package var isBeingWritten: Bool { drain.map { $0.pipe.readerEnd == nil } ?? body.hasKeptBytes }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        file.expectBytes()
        if let failure = drain?.failure { throw failure }
        carryOut(body.receive(bytes))
    }

    /// Makes the whole body a copy of a file, on the file's queue. No byte of the body may have been written before.
    package func copy(_ source: CacheBodyFile) {
        body = FileBody(byteCount: source.byteCount)
        let drain = drain ?? makeDrain()
        self.drain = drain
        file.expectBytes()
        drain.perform { [file] () throws(NetworkingError) in try file.copy(source) }
    }

    package func settle() { carryOut(body.roundEnds()) }

    package func complete() { carryOut(body.complete()) }

    package func close(then action: @escaping (NetworkingError?) -> Void) {
        settle()
        guard let drain else { return action(nil) }
        drain.close(then: action)
    }

    /// Drops the body: the file starts over with the next bytes. No bytes of the old body are written after the write
    /// in progress.
    package func startOver(_ start: FileInitialState = .keepingName) {
        drain?.discard()
        if file.mayHaveBytes { writes.drop(file) }
        (body, drain) = (FileBody(), nil)
        file.forgetContents()
        if file.needsWork(for: start) {
            drain = makeDrain { [file] () throws(NetworkingError) in try file.startOver(start) }
        }
    }

    /// Abandons a file that is still being written. The file's queue keeps or removes the file after the write in
    /// progress.
    package func abandon(canContinue: Bool) {
        drain?.discard()
        file.queue.async { [file] in
            file.keepOrRemove(canContinue: canContinue)
            file.unlock()
        }
    }

    private func carryOut(_ effect: FileBody.Effect?) {
        switch effect {
        case .awaitEndOfRound?: writes.add(self)
        case .write(let bytes)?: append(bytes)
        case .keepWhole(let bytes)?:
            guard let body = PendingSmallBody(bytes) else { return append(bytes) }
            file.setPendingBody(body)
        case nil: break
        }
    }

    /// Appends bytes to the file, on the file's queue.
    private func append(_ bytes: Data) {
        let drain = drain ?? makeDrain(at: body.byteCount - Int64(bytes.count))
        self.drain = drain
        drain.pipe.write(bytes)
    }

    /// - Parameter begin: called before the first byte is written.
    private func makeDrain(at offset: Int64 = 0, begin: (BodyDrain.Begin)? = nil) -> BodyDrain {
        file.expectBytes()
        let drain = BodyDrain(on: file.queue, begin: begin) { [file] bytes, position throws(NetworkingError) in
            try file.put(bytes, at: offset + position)
        }
        if let sinkBecameWritable { drain.pipe.whenWoken(sinkBecameWritable) }
        return drain
    }

    var hasKeptBytes: Bool { body.hasKeptBytes }

    func dropKeptBytes() { body.dropKept() }

    func roundEnds() { settle() }
}

@available(*, unavailable)
extension FileSink: Sendable {}

extension PartialFile {
    /// Makes the empty file a copy of a file whose digest is known.
    fileprivate func copy(_ source: CacheBodyFile) throws(NetworkingError) {
        do throws(POSIXError) {
            try FileCopy.copy(source.descriptor, to: descriptor, byteCount: source.byteCount)
        } catch {
            throw NetworkingError(.cannotWriteFile, "cannot write \(path)", underlying: error)
        }
        recordStamp(byteCount: source.byteCount)
        contents.withLock { $0.knownDigest = source.sha256 }
    }

    /// Writes bytes, and extends the digest to them.
    fileprivate func put(_ bytes: Data, at offset: Int64) throws(NetworkingError) {
        try bytes.withUnsafeBytes { bytes in Result { () throws(NetworkingError) in try write(bytes, at: offset) } }
            .get()
        followDigest(from: offset, upTo: offset + Int64(bytes.count))
    }
}
