// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP

extension FuzzTarget {
    /// An event stream after two bytes: the size of the slices and the limit of lines and data.
    static let eventStreams = FuzzTarget("event-streams") { input in
        var input = input
        let sliceByteCount = input.number(below: 32) + 1
        let byteLimit = input.number(below: 64)
        let stream = Array(input.rest)
        let whole = EventStreamReading(stream, sliceByteCount: .max)
        try holdSame(whole.error, nil, "a short stream has no error")
        try holdSame(whole.events, SimpleEventStream(stream).events, "a simple decoder finds the same events")
        let sliced = EventStreamReading(stream, sliceByteCount: sliceByteCount)
        try holdSame(sliced, whole, "slices do not change the events")
        let limited = EventStreamReading(stream, sliceByteCount: .max, byteLimit: byteLimit)
        let limitedSlices = EventStreamReading(stream, sliceByteCount: sliceByteCount, byteLimit: byteLimit)
        try holdSame(limitedSlices, limited, "slices do not change the error")
        try hold(whole.events.starts(with: limited.events), "a limit does not change the events before the error")
        try hold(limited.error != nil || limited == whole, "a limit without an error changes nothing")
        try holdSame(
            limited.error?.number, limited.error.map { _ in limited.events.count + 1 }, "the error is numbered")
    }
}

/// An event with its texts as bytes: Swift's `==` also accepts texts that only look alike.
private struct EventBytes: Equatable {
    let event, data, id: ByteString
    let retry: Duration?

    init(_ event: ServerSentEvent) {
        (self.event, data, id) = (ByteString(event.event), ByteString(event.data), ByteString(event.id))
        retry = event.retry
    }
}

/// The events of a stream up to its end or its first error.
private struct EventStreamReading: Equatable {
    private(set) var events: [EventBytes] = []
    private(set) var commentCount = 0
    private(set) var error: StreamItemError?
    private(set) var lastEventID = ByteString("")
    private(set) var reconnectionTime: Duration?

    init(_ stream: [UInt8], sliceByteCount: Int, byteLimit: Int = EventStreamDecoder.usualByteLimit) {
        var decoder = EventStreamDecoder(byteLimit: byteLimit)
        var rest = stream[...]
        while !rest.isEmpty, error == nil {
            decoder.append(rest.prefix(sliceByteCount))
            rest = rest.dropFirst(sliceByteCount)
            readEvents(&decoder)
        }
        guard error == nil else { return }  // the state after an error has no meaning
        (lastEventID, reconnectionTime) = (ByteString(decoder.lastEventID), decoder.reconnectionTime)
    }

    private mutating func readEvents(_ decoder: inout EventStreamDecoder) {
        do throws(StreamItemError) {
            while let output = try decoder.next() {
                switch output {
                case .event(let event): events.append(EventBytes(event))
                case .comment: commentCount += 1
                }
            }
        } catch {
            self.error = error
        }
    }
}

/// The HTML standard's algorithm as it is written: decodes the whole stream first, then splits characters.
private struct SimpleEventStream {
    private(set) var events: [EventBytes] = []
    private var data = String.UnicodeScalarView()
    private var type = ""
    private var identifier = ""
    private var retry: Duration?

    init(_ stream: [UInt8]) {
        var characters = Array(String(decoding: stream, as: UTF8.self).unicodeScalars)
        if characters.first == "\u{FEFF}" { characters.removeFirst() }
        var line: [Unicode.Scalar] = []
        for (index, character) in characters.enumerated() {
            if character == "\n", index > 0, characters[index - 1] == "\r" { continue }
            if character == "\n" || character == "\r" {
                process(line)
                line = []
            } else {
                line.append(character)
            }
        }
    }

    private mutating func process(_ line: [Unicode.Scalar]) {
        guard !line.isEmpty else { return dispatch() }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : []
        if value.first == " " { value.removeFirst() }
        let text = String(String.UnicodeScalarView(value))
        switch String(String.UnicodeScalarView(parts[0])) {
        case "data":
            data.append(contentsOf: value)
            data.append("\n")
        case "event": type = text
        case "id": if !value.contains("\0") { identifier = text }
        case "retry":
            guard !value.isEmpty, value.allSatisfy({ ("0"..."9").contains($0) }) else { return }
            retry = .milliseconds(Int64(text) ?? .max)
        default: break
        }
    }

    private mutating func dispatch() {
        defer { (data, type, retry) = (String.UnicodeScalarView(), "", nil) }
        guard !data.isEmpty else { return }
        data.removeLast()
        let type = type.isEmpty ? "message" : type
        events.append(EventBytes(ServerSentEvent(event: type, data: String(data), id: identifier, retry: retry)))
    }
}
