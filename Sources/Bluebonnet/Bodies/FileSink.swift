// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// The sink that writes a body to a file, as `FileBody` says. Network thread only.
///
/// A large body is written by another thread, so that the network thread can go on reading; it is in the file after
/// `settle` or `close`.
final class FileSink: BodySink {
    let file: PartialFile
    private var body: FileBody
    /// First deferred write error; later writes are refused.
    private var deferredFailure: NetworkingError?
    /// Nil while the body is small.
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
    var closesLater: Bool { drain != nil || deferredFailure != nil }

    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        file.expectBytes()
        if let failure = drain?.failure { throw failure }
        try carryOut { $0.take(bytes) }
    }

    func settle() throws(NetworkingError) { try carryOut { $0.settle() } }

    func complete() throws(NetworkingError) { try carryOut { $0.complete() } }

    func close(then action: @escaping (NetworkingError?) -> Void) {
        try? carryOut { $0.roundEnds() }
        guard let drain else { return action(deferredFailure) }
        drain.close(then: action)
    }

    func truncate() throws(NetworkingError) {
        drain?.stop()
        if file.mayHoldBytes { writes.drop(file) }
        try file.truncate()
        (body, drain, deferredFailure) = (FileBody(), nil, nil)
    }

    private func carryOut(_ change: (inout FileBody) -> FileBody.Effect?) throws(NetworkingError) {
        if let deferredFailure { throw deferredFailure }
        guard let effect = change(&body) else { return }
        do throws(NetworkingError) {
            switch effect {
            case .awaitEndOfRound: writes.add(self)
            case .write(let bytes, let offset): try file.put(bytes, at: offset)
            case .keepWhole(let bytes):
                guard let body = PendingSmallBody(bytes) else { return try file.put(bytes, at: 0) }
                file.setPendingBody(body)
            case .beginStream(let bytes, let offset): try beginStream(at: offset).write(bytes)
            case .stream(let bytes): try drain?.write(bytes)
            case .endStream(let bytes):
                let ended = drain.take()
                try ended?.write(bytes)
                try ended?.settle()
            }
        } catch {
            if drain == nil { deferredFailure = error }
            throw error
        }
    }

    private func beginStream(at offset: Int64) -> BodyDrain {
        let queue = DispatchQueue(label: "org.bluebonnet.writing.file", target: Queues.writing)
        let drain = BodyDrain(on: queue) { [file] bytes, position throws(NetworkingError) in
            try file.put(bytes, at: offset + position)
        }
        drain.pipe.whenWoken(roomAppeared)
        self.drain = drain
        return drain
    }

    var hasKeptBytes: Bool { body.hasKeptBytes }

    func dropKeptBytes() { body.dropKept() }

    /// Writes what is kept. An error is met again by the next piece, and at the end.
    func roundEnds() { try? carryOut { $0.roundEnds() } }
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
