// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A body on its way to a file. Network thread only.
///
/// A small one is in the file when the round of the event loop ends, or when `settle` says so; one that is complete
/// before that is left to whoever moves the file into place. What comes of a large one is written by another thread, so
/// that this one reads on; it is in the file when `settle` or `close` says so.
final class FileSink: BodySink {
    /// After so many bytes a body is large.
    private static let largeByteCount: Int64 = 256 * 1024

    let file: PartialFile
    /// What it was given, with what is still held.
    private(set) var byteCount: Int64
    private var writtenByteCount: Int64
    /// All that came of a body in this round, when it is little.
    private var smallBody: [UInt8]?
    /// Why something that was held could not be written: nothing is written behind the gap.
    private var failure: NetworkingError?
    /// What it was given before it began, or began again.
    private var startByteCount: Int64
    /// Nil while the body is small.
    private var writer: FileWriter?
    private let roomAppeared: (() -> Void)?

    /// - Parameter roomAppeared: called when there is room after there was none.
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

    /// A large body that goes on after this starts as a small one: many may be paused, and a writer has memory.
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

/// The pieces of one body at a time, until they are written together: libcurl hands a body on in pieces of 16 KiB at
/// most, and the kernel takes four of them in one call in half the time. Also who has the beginning of a small body, to
/// write it in time. Network thread only.
private final class WriteCoalescer: RoundEndTask {
    static let shared = NetworkBound(WriteCoalescer())

    /// A piece that is smaller is the last one for now (CURL_MAX_WRITE_SIZE).
    static let fullPieceByteCount = 16 * 1024
    private static let capacity = 128 * 1024

    private var bytes = [UInt8]()
    private var owner: FileSink?
    /// Those that may hold the beginning of a body.
    private var smallBodySinks: [FileSink] = []
    private var isScheduled = false

    /// At the end of the round it has to write what it holds.
    func add(_ sink: FileSink) {
        smallBodySinks.append(sink)
        schedule()
    }

    /// Writes a piece, or holds it for a moment.
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

    /// Writes what is held of this body.
    func settle(_ sink: FileSink) throws(NetworkingError) {
        guard owner === sink else { return }
        owner = nil
        let result = bytes.withUnsafeBytes { held in Result { () throws(NetworkingError) in try sink.put(held) } }
        bytes.removeAll(keepingCapacity: true)
        try result.get()
    }

    /// Forgets what is held for a file.
    func drop(_ file: PartialFile) {
        for sink in smallBodySinks where sink.file === file { sink.dropSmallBody() }
        guard let owner, owner.file === file else { return }
        self.owner = nil
        bytes.removeAll(keepingCapacity: true)
    }

    func roundEnds() {
        isScheduled = false
        settleOwner()
        // First: of a file that others are at the last reference must not go here, where closing it may take long.
        smallBodySinks.removeAll { !$0.hasSmallBody }
        for sink in smallBodySinks { try? sink.putSmallBody() }
        smallBodySinks.removeAll(keepingCapacity: true)
    }

    /// An error is kept by the sink, and meets whoever writes to it or settles it next.
    private func settleOwner() {
        if let owner { try? settle(owner) }
    }
}

@available(*, unavailable)
extension WriteCoalescer: Sendable {}
