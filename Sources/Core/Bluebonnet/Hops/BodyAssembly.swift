// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Assembles the body of one operation's result over all its transfers: the sink, the state for a continuation after an
/// interruption, and the expected length. Part of its hop sequence. Network thread only; it handles neither redirects
/// nor challenges.
struct BodyAssembly {
    private let prepared: PreparedRequest
    /// Nil until the files were opened.
    private var file: PartialFile?
    /// The device that receives the body, instead of a file.
    private var device: DeviceFile?
    private(set) var sink: (any BodySink)?
    private var resumption: Box<RangeResumption>?
    /// The record on disk of the representation that the partial file's bytes belong to.
    private var record: Box<PartialRecord>?
    /// The head of the response that a pause interrupted, as long as the sink has the received part of its body.
    private(set) var interruptedHead: ResponseHead?
    /// The file whose transfer a pause interrupted.
    private(set) var interruptedFile: PartialFile?
    /// Whether the result was continued with a range request.
    private(set) var isContinued = false
    /// The total length of a body that is being continued.
    private var continuedTotal: Int64?
    /// The number of bytes in the output file while the body of an error is received instead.
    private var waitingFileByteCount: Int64?
    /// Whether the bytes that arrive have no content codings, whatever the head says: they come from the cache.
    var isDecoded = false
    private let writes: WriteCoalescer
    private var sinkBecameWritable: (() -> Void)?
    private var consumerCancelled: (() -> Void)?

    private static let smallestContinuedBody: Int64 = 64 * 1024

    /// Continues with the part of the body that an archived operation had in memory, if there is one.
    init(_ prepared: PreparedRequest, writes: WriteCoalescer) {
        self.prepared = prepared
        self.writes = writes
        guard let part = prepared.continuation, !prepared.hasOutput else { return }
        let sink = MemorySink(part.data, byteLimit: prepared.options.maximumBodyByteCount)
        self.sink = sink
        resumption = Box(RangeResumption(record: part.record, offset: sink.byteCount))
    }

    /// Stores the files that were opened for the body.
    mutating func setFiles(_ files: PreparedRequest.Files) {
        device = device ?? files.device  // the sink of an earlier attempt keeps its device
        setFile(files.output)
    }

    /// Stores the output file, and prepares a continuation of the part that an earlier process or operation left.
    mutating func setFile(_ file: PartialFile?) {
        self.file = file
        guard let file, let record = file.initialRecord else { return }
        guard prepared.first.supportsRangeResume else { return file.removeRecord() }
        self.record = Box(record)
        resumption = Box(RangeResumption(record: record, offset: file.initialByteCount))
    }

    /// Releases the output file, unless its sink has bytes; returns false in that case.
    mutating func leaveEmptyFile() -> Bool {
        if let target = sink as? FileSink {
            guard target.byteCount == 0 else { return false }
            sink = nil
        }
        if file != nil { (file, record, resumption, interruptedFile) = (nil, nil, nil, nil) }
        return true
    }

    /// Moves a body from memory to a file, with the bytes received so far.
    mutating func moveBody(to file: PartialFile) throws(NetworkingError) {
        let interrupted = resumption
        setFile(file)
        guard let memory = sink as? MemorySink, memory.byteCount > 0 else { return }
        resumption = interrupted
        let target = FileSink(file, writes: writes, sinkBecameWritable: sinkBecameWritable)
        sink = target
        target.startOver()
        let data = memory.data
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(NetworkingError) in try target.write(bytes) }
        }
        try result.get()
    }

    /// The fields of the range request that continues the body; empty for a request of the whole body.
    var rangeFields: [(name: String, value: String)] { resumption?.value.headers ?? [] }

    /// The state of an interrupted body.
    var interrupted: InterruptedBody {
        InterruptedBody(resumption: resumption?.value, hasHead: interruptedHead != nil)
    }

    /// - Parameters:
    ///   - sinkBecameWritable: called when a full sink accepts bytes again.
    ///   - consumerCancelled: called when the sink no longer accepts bytes.
    mutating func watchConsumer(sinkBecameWritable: @escaping () -> Void, consumerCancelled: @escaping () -> Void) {
        (self.sinkBecameWritable, self.consumerCancelled) = (sinkBecameWritable, consumerCancelled)
    }

    /// Makes the next request ask for the whole body.
    mutating func startOver() { resumption = nil }
}

@available(*, unavailable)
extension BodyAssembly: Sendable {}

// MARK: - The sink

extension BodyAssembly {
    /// Makes the receiver for the body of a response that is the result.
    ///
    /// - Parameters:
    ///   - isPartWanted: whether the response is a 206 that the caller's request asked for.
    ///   - hasOutput: whether the body goes to the output file or stream, if there is one.
    mutating func receiver(
        for head: ResponseHead, hasBody: Bool, isPartWanted: Bool, hasOutput: Bool
    ) throws(NetworkingError) -> BodyReceiver {
        isContinued = resumption?.value.decide(on: head) == .append
        continuedTotal = isContinued ? head.totalByteCount ?? resumption?.value.totalByteCount : nil
        resumption = nil
        guard head.statusCode != 206 || isContinued || isPartWanted else {
            throw NetworkingError(.badServerResponse, "the server sent a partial body, but the request has no Range")
        }
        let sink = try isContinued ? continuedSink() : makeSink(for: head, hasBody: hasBody, hasOutput: hasOutput)
        return try receiver(into: sink, for: head, hasBody: hasBody)
    }

    /// Makes the receiver for the body of a refused response, which is independent of any earlier body. A body that
    /// cannot be decoded is stored as received; `bodyError` is the reason.
    mutating func errorReceiver(for head: ResponseHead, hasBody: Bool) -> (BodyReceiver, bodyError: NetworkingError?) {
        let (receiver, bodyError) = separateReceiver(for: head, hasBody: hasBody)
        replaceSink(with: receiver.sink)
        return (receiver, bodyError)
    }

    /// Makes the receiver for the body of a response that may not become the result. The existing body of the result is
    /// not changed.
    func separateReceiver(for head: ResponseHead, hasBody: Bool) -> (BodyReceiver, bodyError: NetworkingError?) {
        let sink = memorySink(for: head, hasBody: hasBody)
        do throws(NetworkingError) {
            return (try makeReceiver(into: sink, for: head, hasBody: hasBody), nil)
        } catch {
            return (BodyReceiver(undecodedInto: sink), error)
        }
    }

    /// Makes a body the result that is independent of any earlier body.
    mutating func replaceSink(with sink: any BodySink) {
        (isContinued, continuedTotal, resumption) = (false, nil, nil)
        (interruptedHead, interruptedFile) = (nil, nil)
        (self.sink as? ChannelSink)?.abandon()
        if let target = self.sink as? FileSink { waitingFileByteCount = target.byteCount }
        self.sink = sink
    }

    /// Returns an error if a part of the result's body was already delivered to a consumer and this response is not the
    /// rest.
    func givenAwayError(insteadOf head: ResponseHead) -> NetworkingError? {
        guard let stream = sink as? ChannelSink, stream.byteCount > 0 else { return nil }
        return NetworkingError(
            .resumeRefused,
            "the body cannot resume after status \(head.statusCode): \(stream.byteCount) bytes of it were already "
                + "delivered")
    }

    /// Whether another transfer can continue the body or restart it, after the transfer has failed.
    ///
    /// - Parameter head: the head of the response whose body is in the sink; nil if the transfer has brought no such
    ///   head.
    func canBeRenewed(_ head: ResponseHead?) -> Bool {
        guard let stream = sink as? ChannelSink, stream.byteCount > 0 else { return true }
        guard let head else { return resumption != nil }
        return (head.statusCode == 200 || isContinued) && makeRecord(for: head) != nil
    }

    private mutating func receiver(
        into sink: any BodySink, for head: ResponseHead, hasBody: Bool
    ) throws(NetworkingError) -> BodyReceiver {
        self.sink = sink
        if !isContinued { (interruptedHead, interruptedFile) = (nil, nil) }  // the interrupted body is lost
        return try makeReceiver(into: sink, for: head, hasBody: hasBody)
    }

    private func makeReceiver(
        into sink: any BodySink, for head: ResponseHead, hasBody: Bool
    ) throws(NetworkingError) -> BodyReceiver {
        try BodyReceiver(
            sink: sink, codings: hasBody && !isDecoded && prepared.options.decodesContent ? head.contentCodings : [],
            isFramed: head.contentLength != nil || head.isChunked || head.httpVersion == "2",
            maximumExpansionRatio: prepared.options.maximumExpansionRatio)
    }

    /// Returns the sink of the interrupted transfer, or a sink for the file that an earlier operation left.
    private func continuedSink() throws(NetworkingError) -> any BodySink {
        if let sink { return sink }
        guard let file else { throw NetworkingError(.resumeRefused, "there is nothing to resume") }
        return FileSink(file, writes: writes, sinkBecameWritable: sinkBecameWritable)
    }

    private mutating func makeSink(
        for head: ResponseHead, hasBody: Bool, hasOutput: Bool
    ) throws(NetworkingError) -> any BodySink {
        if hasOutput, let file { return fileSink(file, for: head) }
        if hasOutput, let output = device.map(StreamOutput.device) ?? prepared.streamOutput {
            return try channelSink(output)
        }
        if let error = givenAwayError(insteadOf: head) { throw error }
        (sink as? ChannelSink)?.abandon()
        return memorySink(for: head, hasBody: hasBody)
    }

    private func memorySink(for head: ResponseHead, hasBody: Bool) -> MemorySink {
        let limit = prepared.options.maximumBodyByteCount
        let memory = MemorySink(byteLimit: limit)
        if hasBody, let length = head.contentLength, length <= limit { memory.reserve(length) }
        return memory
    }

    private mutating func fileSink(_ file: PartialFile, for head: ResponseHead) -> FileSink {
        (sink as? FileSink)?.startOver()  // no bytes of an earlier body are written from now on
        let sink = FileSink(file, writes: writes, sinkBecameWritable: sinkBecameWritable)
        sink.startOver(start(for: head))
        return sink
    }

    /// Returns the sink of an output stream. The sink is kept during a pause, because delivered bytes cannot be
    /// revoked.
    private func channelSink(_ output: StreamOutput) throws(NetworkingError) -> ChannelSink {
        let sink = sink as? ChannelSink ?? ChannelSink(output)
        try sink.truncate()
        sink.listen(sinkBecameWritable: sinkBecameWritable, consumerCancelled: consumerCancelled)
        return sink
    }

    /// Returns how the file starts. The file of a body that is not small has a name. It has a record if the rest of the
    /// body could be requested later: for an uncoded body with a strong validator.
    private mutating func start(for head: ResponseHead) -> FileInitialState {
        record = nil
        guard head.contentLength ?? .max >= Self.smallestContinuedBody else { return .keepingName }
        if head.statusCode == 200 { record = makeRecord(for: head).map(Box.init) }
        return .named(record?.value)
    }

    private func makeRecord(for head: ResponseHead) -> PartialRecord? {
        guard let validator = head.strongValidator ?? record?.value.validator, head.contentCodings.isEmpty,
            prepared.first.supportsRangeResume
        else { return nil }
        return PartialRecord(
            requestURL: prepared.first.url, responseURL: head.url, validator: validator,
            totalByteCount: head.totalByteCount ?? continuedTotal)
    }
}

// MARK: - Ends

extension BodyAssembly {
    /// Records that a pause has aborted the transfer. The next transfer continues the body if the representation has a
    /// strong validator; otherwise it fetches the whole body into a new sink.
    mutating func recordInterruption(of head: ResponseHead) {
        sink?.settle()  // the next write reports an error
        guard let sink, head.statusCode == 200 || isContinued, sink.byteCount > 0, let record = makeRecord(for: head)
        else { return }
        interruptedHead = head
        interruptedFile = (sink as? FileSink)?.file
        resumption = Box(RangeResumption(record: record, offset: sink.byteCount))
    }

    /// Makes the next request ask for the whole body, because another process has written to the file during a pause.
    mutating func interruptedFileHasChanged() { resumption = nil }

    /// Checks the length of a continued body: a server may send less than the rest.
    mutating func checkLength() throws(NetworkingError) {
        guard let continuedTotal, let byteCount = sink?.byteCount, byteCount != continuedTotal else { return }
        if byteCount > continuedTotal { record = nil }
        throw NetworkingError(
            .badServerResponse, "the resumed body has \(byteCount) bytes, not \(continuedTotal)")
    }

    /// The error of the consumer of a streamed body.
    var consumerError: NetworkingError {
        (sink as? ChannelSink)?.failure
            ?? NetworkingError(.cancelled, "the operation was cancelled: the consumer of its body was released")
    }

    /// The state of the body at the operation's end.
    struct End {
        var content = TransferResult.Content.none
        let byteCount: Int64
        let isContinued: Bool
        /// The file, if the body did not go there.
        var unusedFile: PartialFile?
        /// Whether the contents of the file may be continued later.
        let canBeContinued: Bool
    }

    /// Returns the state of the body. Mutating only so that it is called in place: a copy of this value would cost more
    /// than the rest of an operation's end.
    mutating func end(isComplete: Bool) -> End {
        sink?.settle()  // a complete body is already closed or in its file
        var end = End(byteCount: sink?.byteCount ?? 0, isContinued: isContinued, canBeContinued: record != nil)
        switch sink {
        case let memory as MemorySink: end.content = .memory(memory.data)
        case let target as FileSink where target.isBeingWritten: target.abandon(canContinue: record != nil)
        case let target as FileSink: end.content = .file(target.file, canContinue: record != nil)
        case let stream as ChannelSink:
            if !isComplete { stream.abandon() }
            end.content = device.map(TransferResult.Content.device) ?? .stream
        default: break
        }
        if !(sink is FileSink) { end.unusedFile = file }
        return end
    }

    /// The received part of the body at one moment, for an archive.
    struct Snapshot: Sendable {
        var receivedByteCount: Int64?
        var record: PartialRecord?
        var part: ArchivedPart?
    }

    /// - Parameter head: the head of the response whose body is in the sink; nil if the response is not the result.
    func snapshot(of head: ResponseHead?) -> Snapshot {
        guard let sink else { return Snapshot(receivedByteCount: file?.initialByteCount, record: record?.value) }
        if let file, let record, !(sink is FileSink) {  // the sink has the body of an error
            return Snapshot(
                receivedByteCount: waitingFileByteCount ?? file.initialByteCount, record: record.value)
        }
        let isWholeOrRest = head?.statusCode == 200 || isContinued
        let record = (interruptedHead ?? (isWholeOrRest ? head : nil)).flatMap(makeRecord)
        var snapshot = Snapshot(receivedByteCount: sink.byteCount, record: record)
        if file == nil, let record, let memory = sink as? MemorySink, memory.byteCount > 0 {
            snapshot.part = ArchivedPart(data: memory.data, record: record)
        }
        return snapshot
    }
}

extension ResponseHead {
    /// The length of the whole representation, of which this response may be a part.
    var totalByteCount: Int64? {
        guard statusCode == 206, case .part(_, _, let total)? = contentRange else { return contentLength }
        return total
    }
}
