// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

@testable import BluebonnetHTTP

/// The outputs of an event stream up to its end or its first error.
struct EventStreamReading: Equatable {
    var outputs: [EventStreamDecoder.Output] = []
    var error: StreamItemError?
    var lastEventID = ""
    var reconnectionTime: Duration?
    var hasUnfinishedEvent = false

    /// Decodes a stream in slices of a number of bytes, and returns after each slice everything that is complete.
    init(
        _ stream: [UInt8], sliceByteCount: Int = .max, lastEventID: String = "",
        byteLimit: Int = EventStreamDecoder.usualByteLimit
    ) {
        var decoder = EventStreamDecoder(lastEventID: lastEventID, byteLimit: byteLimit)
        for slice in stream.slices(of: sliceByteCount) where error == nil {
            decoder.append(slice)
            read(&decoder)
        }
        self.lastEventID = decoder.lastEventID
        reconnectionTime = decoder.reconnectionTime
        hasUnfinishedEvent = error == nil && decoder.hasUnfinishedEvent
    }

    init(_ stream: String) { self.init(Array(stream.utf8)) }

    private mutating func read(_ decoder: inout EventStreamDecoder) {
        do throws(StreamItemError) {
            while let output = try decoder.next() { outputs.append(output) }
        } catch {
            self.error = error
        }
    }

    var events: [ServerSentEvent] {
        outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    var commentCount: Int { outputs.count - events.count }
}

extension [UInt8] {
    /// The bytes in slices of at most a number of bytes.
    func slices(of byteCount: Int) -> [ArraySlice<UInt8>] {
        var (slices, rest) = ([ArraySlice<UInt8>](), self[...])
        while !rest.isEmpty {
            slices.append(rest.prefix(byteCount))
            rest = rest.dropFirst(byteCount)
        }
        return slices
    }
}
