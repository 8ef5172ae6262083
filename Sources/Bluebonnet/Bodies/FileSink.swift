// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The sink that writes a body to a file. Network thread only.
///
/// A small body is written at the end of the round of the event loop, or by `settle`; a small body that is complete
/// before that is written when the file is moved into place. A large body is written by another thread, so that the
/// network thread can go on reading; it is in the file after `settle` or `close`.
final class FileSink: BodySink {
    /// A body of at least this size is large.
    private static let largeByteCount: Int64 = 256 * 1024

    let file: PartialFile
    /// The bytes that were passed to `write`, including pending ones.
    private(set) var byteCount: Int64
    private var writtenByteCount: Int64
    /// The pending bytes of a small body that began in this round; nil when there are none.
    private var smallBody: [UInt8]?
    /// First deferred write error; later writes are refused.
    private var failure: NetworkingError?
    /// The byte count when the body began or continued.
    private var startByteCount: Int64
    /// Nil while the body is small.
    private var writer: FileWriter?
    private let roomAppeared: (() -> Void)?

    /// - Parameter roomAppeared: called when a full sink has room again.
    init(_ file: PartialFile, roomAppeared: (() -> Void)? = nil) {
        self.file = file
        self.roomAppeared = roomAppeared
        byteCount = file.initialByteCount
        writtenByteCount = file.initialByteCount
        startByteCount = file.initialByteCount
    }

    var byteLimit: Int? { nil }
    var hasRoom: Bool { writer?.hasRoom() ?? true }
    var closesLater: Bool { writer != nil || failure != nil }

    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        file.expectBytes()
        if let writer {
            try writer.append(bytes)
        } else {
            if let failure { throw failure }
            if byteCount == 0, bytes.count < WriteCoalescer.fullPieceByteCount {
                smallBody = Array(bytes)
                WriteCoalescer.shared.value.add(self)
            } else {
                try putSmallBody()
                try WriteCoalescer.shared.value.write(bytes, of: self)
            }
        }
        byteCount += Int64(bytes.count)
        if writer == nil, byteCount - startByteCount >= Self.largeByteCount { try becomeLarge() }
    }

    /// Writes all pending bytes. A large body that continues after this starts as a small one, because many may be
    /// paused and each writer has a buffer.
    func settle() throws(NetworkingError) {
        if let failure { throw failure }
        try putSmallBody()
        guard let writer else { return try WriteCoalescer.shared.value.settle(self) }
        self.writer = nil
        do throws(NetworkingError) {
            try writer.settle()
        } catch {
            failure = error
            throw error
        }
        (writtenByteCount, startByteCount) = (byteCount, byteCount)
    }

    func complete() throws(NetworkingError) {
        guard let smallBody, let body = PendingSmallBody(smallBody) else { return try settle() }
        self.smallBody = nil
        file.setPendingBody(body)
        writtenByteCount = byteCount
    }

    func close(then action: @escaping (NetworkingError?) -> Void) {
        guard let writer else { return action(failure) }
        writer.close(then: action)
    }

    func truncate() throws(NetworkingError) {
        writer?.stop()
        writer = nil
        if file.mayHoldBytes { WriteCoalescer.shared.value.drop(file) }
        try file.truncate()
        (byteCount, writtenByteCount, startByteCount, failure) = (0, 0, 0, nil)
    }

    private func becomeLarge() throws(NetworkingError) {
        try settle()
        let made = FileWriter(at: writtenByteCount) { [file] bytes, offset throws(NetworkingError) in
            try file.write(bytes, at: offset)
            file.followDigest(from: offset, upTo: offset + Int64(bytes.count))
        }
        made.whenRoomAppears(roomAppeared)
        writer = made
    }

    fileprivate var hasSmallBody: Bool { smallBody != nil }

    fileprivate func dropSmallBody() { smallBody = nil }

    fileprivate func putSmallBody() throws(NetworkingError) {
        guard let bytes = smallBody else { return }
        smallBody = nil
        try bytes.withUnsafeBytes { bytes in Result { () throws(NetworkingError) in try put(bytes) } }.get()
    }

    fileprivate func put(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        do throws(NetworkingError) {
            try file.write(bytes, at: writtenByteCount)
        } catch {
            failure = error
            throw error
        }
        let end = writtenByteCount + Int64(bytes.count)
        file.followDigest(from: writtenByteCount, upTo: end)
        writtenByteCount = end
    }
}

@available(*, unavailable)
extension FileSink: Sendable {}

/// Collects the pieces of one body at a time, to write them together: libcurl delivers pieces of at most 16 KiB, and
/// one write of four pieces takes half the time of four writes. Also knows the sinks with a pending small body, to
/// write them at the end of the round. Network thread only.
private final class WriteCoalescer: RoundEndTask {
    static let shared = NetworkBound(WriteCoalescer())

    /// The size of a full piece (CURL_MAX_WRITE_SIZE); a smaller piece is the last one for now.
    static let fullPieceByteCount = 16 * 1024
    private static let capacity = 128 * 1024

    private var bytes = [UInt8]()
    private var owner: FileSink?
    /// The sinks that may have a pending small body.
    private var smallBodySinks: [FileSink] = []
    private var isScheduled = false

    /// Adds a sink, whose pending small body is written at the end of the round.
    func add(_ sink: FileSink) {
        smallBodySinks.append(sink)
        schedule()
    }

    /// Writes a piece, or keeps it until more pieces come.
    func write(_ piece: UnsafeRawBufferPointer, of sink: FileSink) throws(NetworkingError) {
        if owner !== sink { settleOwner() }
        if bytes.count + piece.count > Self.capacity { try settle(sink) }
        let isLast = piece.count < Self.fullPieceByteCount
        if owner == nil, isLast || piece.count > Self.capacity { return try sink.put(piece) }
        owner = sink
        if bytes.isEmpty { bytes.reserveCapacity(Self.capacity) }
        bytes += piece
        if isLast { return try settle(sink) }
        schedule()
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        NetworkThread.shared.eventLoop.atEndOfRound(.handover, self)
    }

    /// Writes the pending pieces of this body.
    func settle(_ sink: FileSink) throws(NetworkingError) {
        guard owner === sink else { return }
        owner = nil
        let result = bytes.withUnsafeBytes { held in Result { () throws(NetworkingError) in try sink.put(held) } }
        bytes.removeAll(keepingCapacity: true)
        try result.get()
    }

    /// Drops the pending bytes of a file.
    func drop(_ file: PartialFile) {
        for sink in smallBodySinks where sink.file === file { sink.dropSmallBody() }
        guard let owner, owner.file === file else { return }
        self.owner = nil
        bytes.removeAll(keepingCapacity: true)
    }

    func roundEnds() {
        isScheduled = false
        settleOwner()
        // First, so that this thread does not release the last reference to a file, whose closing may take long.
        smallBodySinks.removeAll { !$0.hasSmallBody }
        for sink in smallBodySinks { try? sink.putSmallBody() }
        smallBodySinks.removeAll(keepingCapacity: true)
    }

    /// Writes the pending pieces. The sink keeps an error and throws it from the next `write` or `settle`.
    private func settleOwner() {
        if let owner { try? settle(owner) }
    }
}

@available(*, unavailable)
extension WriteCoalescer: Sendable {}
