// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decodes an event stream (HTML standard, 9.2.6) from slices of bytes of any size.
///
/// An event that the stream does not end with an empty line is discarded, as the standard requires.
package struct EventStreamDecoder: Sendable {
    package enum Output: Sendable, Hashable {
        case event(ServerSentEvent)
        /// A comment. Servers send comments as a sign of life.
        case comment
    }

    /// The default limit of a line and of the data of an event: 16 MiB.
    package static let usualByteLimit = 16 << 20

    /// The identifier for `Last-Event-ID`: the last field `id` before an empty line. Empty if there is none.
    package private(set) var lastEventID: String
    /// The last valid field `retry` of the stream; nil if there is none. Applies at once, even without an event.
    package private(set) var reconnectionTime: Duration?
    /// The number of events that were returned.
    package private(set) var eventCount = 0

    private let byteLimit: Int
    private var pending = PendingBytes()
    private var mayHaveMark = true
    /// The last line has ended with CR: a following LF belongs to the same line end.
    private var isAfterCR = false
    private var error: StreamItemError?

    // The buffers of the standard, for the event that is being read.
    /// Each line of data with a line feed at its end.
    private var data: [UInt8] = []
    private var eventType = ""
    private var identifier: String
    private var retry: Duration?

    /// - Parameters:
    ///   - lastEventID: the identifier of the stream that this stream continues. Events without an identifier have this
    ///     one, as in browsers.
    ///   - byteLimit: the limit of a line and of the data of an event, in bytes. A longer line is an error, so that
    ///     memory is bounded for any input.
    package init(lastEventID: String = "", byteLimit: Int = Self.usualByteLimit) {
        (self.lastEventID, identifier, self.byteLimit) = (lastEventID, lastEventID, byteLimit)
    }

    /// Adds the next bytes of the stream.
    package mutating func append(_ bytes: some Collection<UInt8>) { pending.append(bytes) }

    /// Returns the next event or comment; nil if more bytes are needed.
    ///
    /// - Throws: the first error of the stream. Events before the error are returned first; every later call throws the
    ///   same error.
    package mutating func next() throws(StreamItemError) -> Output? {
        if let error { throw error }
        do throws(StreamItemError) {
            return try nextOutput()
        } catch {
            self.error = error
            throw error
        }
    }

    /// Whether the end of the stream would discard something, after `next()` has returned nil: a line without its end,
    /// or fields without the empty line after them.
    package var hasUnfinishedEvent: Bool {
        pending.count > 0 || !data.isEmpty || !eventType.isEmpty || identifier != lastEventID
    }
}

// MARK: - Lines

extension EventStreamDecoder {
    private mutating func nextOutput() throws(StreamItemError) -> Output? {
        let bytes = pending.bytes  // a reference: the buffers change while the lines are read
        return try bytes.withUnsafeBufferPointer { (bytes) throws(StreamItemError) -> Output? in
            while let line = nextLine(of: bytes) {
                guard line.count <= byteLimit else { throw tooLong("a line") }
                if let output = try consume(line) { return output }
            }
            guard pending.count <= byteLimit else { throw tooLong("a line") }
            return nil
        }
    }

    /// Consumes the next line and returns it without its end; nil if more bytes are needed.
    private mutating func nextLine(of bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        if isAfterCR, pending.start < bytes.count {
            if bytes[pending.start] == 0x0A { pending.consume(upTo: pending.start + 1) }
            isAfterCR = false
        }
        guard let end = bytes.offsetOfLineEnd(from: pending.searchedEnd) else {
            pending.markSearched()
            return nil
        }
        defer { pending.consume(upTo: end + 1) }
        isAfterCR = bytes[end] == 0x0D
        return bytes.part(pending.start..<end)
    }

    private mutating func consume(_ line: UnsafeBufferPointer<UInt8>) throws(StreamItemError) -> Output? {
        var line = line
        if mayHaveMark {
            mayHaveMark = false
            if line.starts(with: UnsafeBufferPointer.byteOrderMark) { line = line.part(3..<line.count) }
        }
        guard let first = line.first else { return dispatch() }
        guard first != UInt8(ascii: ":") else { return .comment }
        let nameEnd = line.offset(of: UInt8(ascii: ":"), in: 0..<line.count) ?? line.count
        var valueStart = min(nameEnd + 1, line.count)
        if valueStart < line.count, line[valueStart] == 0x20 { valueStart += 1 }
        try consumeField(named: line.part(0..<nameEnd), value: line.part(valueStart..<line.count))
        return nil
    }
}

// MARK: - Fields

extension EventStreamDecoder {
    private mutating func consumeField(
        named name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) throws(StreamItemError) {
        if name.isText("data") {
            guard data.count + value.count <= byteLimit else { throw tooLong("the data") }
            data.append(contentsOf: value)
            data.append(0x0A)
        } else if name.isText("event") {
            eventType = String(decoding: value, as: UTF8.self)
        } else if name.isText("id") {
            guard value.offset(of: 0, in: 0..<value.count) == nil else { return }
            identifier = String(decoding: value, as: UTF8.self)
        } else if name.isText("retry"), let time = Self.time(value) {
            (retry, reconnectionTime) = (time, time)
        }
    }

    /// Returns the time of a field `retry`: a number of milliseconds. A number beyond Int64 becomes its maximum.
    private static func time(_ digits: UnsafeBufferPointer<UInt8>) -> Duration? {
        guard FieldSyntax.isNumber(digits) else { return nil }
        let number = Int64(String(decoding: digits, as: UTF8.self)) ?? .max
        return .milliseconds(number)
    }

    /// Ends the event that is being read. Returns nil if it has no data.
    private mutating func dispatch() -> Output? {
        lastEventID = identifier
        defer { (eventType, retry) = ("", nil) }
        guard !data.isEmpty else { return nil }
        let text = data.withUnsafeBufferPointer { String(decoding: $0.dropLast(), as: UTF8.self) }
        data.removeAll(keepingCapacity: data.capacity <= PendingBytes.keptByteCount)
        eventCount += 1
        let type = eventType.isEmpty ? "message" : eventType
        return .event(ServerSentEvent(event: type, data: text, id: lastEventID, retry: retry))
    }

    private func tooLong(_ part: String) -> StreamItemError {
        .tooLong("event", number: eventCount + 1, part: part, byteLimit: byteLimit)
    }
}
