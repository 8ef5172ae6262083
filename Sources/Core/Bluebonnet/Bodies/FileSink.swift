// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// The sink that writes a body to a file, as `FileBody` says. Network thread only.
///
/// The network thread makes no call of the file system: the file's queue empties, names and writes the file, in the
/// order in which the sink asks for it. A failure is thrown by the next write, and reported by `close`.
final class FileSink: BodySink {
    let file: PartialFile
    private var body: FileBody
    /// What the file's queue has to do; nil while it has nothing to do.
    private var drain: BodyDrain?
    private let writes: WriteCoalescer
    private let roomAppeared: (() -> Void)?

    /// - Parameters:
    ///   - writes: has the sink write at the end of a round.
    ///   - roomAppeared: called when a full sink has room again.
    init(_ file: PartialFile, writes: WriteCoalescer, roomAppeared: (() -> Void)? = nil) {
        self.file = file
        self.writes = writes
        self.roomAppeared = roomAppeared
        body = FileBody(byteCount: file.initialByteCount)
    }

    /// The bytes that were passed to `write`, including pending ones.
    var byteCount: Int64 { body.byteCount }
    var byteLimit: Int? { nil }
    var hasRoom: Bool { drain?.pipe.hasRoom() ?? true }
    var closesLater: Bool { drain != nil }
    /// Whether the file's queue has something to do yet.
    var isBeingWritten: Bool { drain.map { $0.pipe.closing == nil } ?? body.hasKeptBytes }

    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        file.expectBytes()
        if let failure = drain?.failure { throw failure }
        carryOut(body.receive(bytes))
    }

    func settle() { carryOut(body.roundEnds()) }

    func complete() { carryOut(body.complete()) }

    func close(then action: @escaping (NetworkingError?) -> Void) {
        settle()
        guard let drain else { return action(nil) }
        drain.close(then: action)
    }

    /// Drops the body: the file begins with the next bytes. Nothing of the old body is written once the write in
    /// progress is over.
    func startOver(_ start: FileStart = .keepingName) {
        drain?.discard()
        if file.mayHoldBytes { writes.drop(file) }
        (body, drain) = (FileBody(), nil)
        file.forgetContents()
        if file.needsWork(for: start) {
            drain = makeDrain { [file] () throws(NetworkingError) in try file.startOver(start) }
        }
    }

    /// Leaves a file that is still being written: its end comes when the file system has answered.
    func abandon(canContinue: Bool) {
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

    /// The file's queue writes the bytes behind those that it has.
    private func append(_ bytes: Data) {
        let drain = drain ?? makeDrain(at: body.byteCount - Int64(bytes.count))
        self.drain = drain
        drain.pipe.write(bytes)
    }

    /// - Parameter begin: what comes before the first byte.
    private func makeDrain(at offset: Int64 = 0, begin: (BodyDrain.Begin)? = nil) -> BodyDrain {
        file.expectBytes()
        let drain = BodyDrain(on: file.queue, begin: begin) { [file] bytes, position throws(NetworkingError) in
            try file.put(bytes, at: offset + position)
        }
        if let roomAppeared { drain.pipe.whenWoken(roomAppeared) }
        return drain
    }

    var hasKeptBytes: Bool { body.hasKeptBytes }

    func dropKeptBytes() { body.dropKept() }

    func roundEnds() { settle() }
}

@available(*, unavailable)
extension FileSink: Sendable {}

extension PartialFile {
    /// Writes bytes, and lets the digest follow them.
    fileprivate func put(_ bytes: Data, at offset: Int64) throws(NetworkingError) {
        try bytes.withUnsafeBytes { bytes in Result { () throws(NetworkingError) in try write(bytes, at: offset) } }
            .get()
        followDigest(from: offset, upTo: offset + Int64(bytes.count))
    }
}
