// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Splits a JSON text sequence (RFC 7464) into its elements. Used by `JSONLinesDecoder`.
struct JSONSequenceDecoder: Sendable {
    private let byteLimit: Int
    private var pending = PendingBytes()
    private var isEnded = false
    /// The text that is being read; nil between texts.
    private var text: JSONTextEnd?
    private var itemCount = 0
    private var error: StreamItemError?

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    mutating func append(_ bytes: some Collection<UInt8>) { pending.append(bytes) }

    mutating func finish() { isEnded = true }

    mutating func next() throws(StreamItemError) -> JSONStreamItem? {
        if let error { throw error }
        let bytes = pending.bytes
        do throws(StreamItemError) {
            return try bytes.withUnsafeBufferPointer { (bytes) throws(StreamItemError) -> JSONStreamItem? in
                while try beginText(in: bytes) {
                    guard let end = try endOfText(in: bytes) else { return nil }
                    if let item = endText(bytes.part(pending.start..<end)) { return item }
                }
                return nil
            }
        } catch {
            self.error = error
            throw error
        }
    }

    /// Skips to the beginning of the next text. Returns false if more bytes are needed.
    private mutating func beginText(in bytes: UnsafeBufferPointer<UInt8>) throws(StreamItemError) -> Bool {
        while text == nil, pending.start < bytes.count {
            let byte = bytes[pending.start]
            if byte == JSONTextEnd.recordSeparator {
                text = JSONTextEnd()
            } else if !JSONTextEnd.isSpace(byte) {
                throw problem("there is no record separator (0x1E) before the text")
            }
            pending.consume(upTo: pending.start + 1)
        }
        if text == nil { pending.markSearched() }
        return text != nil
    }

    /// Returns the offset of the first byte after the text; nil if more bytes are needed.
    private mutating func endOfText(in bytes: UnsafeBufferPointer<UInt8>) throws(StreamItemError) -> Int? {
        let found = text?.offset(in: bytes, from: pending.searchedEnd)
        let end = found ?? bytes.count
        guard end - pending.start <= byteLimit else { throw problem("the text has more than \(byteLimit) bytes") }
        if found == nil, !isEnded {
            pending.markSearched()
            return nil
        }
        return end
    }

    /// Consumes the text. Returns nil if the element is empty.
    private mutating func endText(_ bytes: UnsafeBufferPointer<UInt8>) -> JSONStreamItem? {
        pending.consume(upTo: pending.start + bytes.count)
        defer { text = nil }
        guard let text, !text.isBlank else { return nil }
        itemCount += 1
        return JSONStreamItem(number: itemCount, bytes: Array(bytes), isTruncated: !text.isComplete)
    }

    private func problem(_ reason: String) -> StreamItemError {
        StreamItemError(item: "JSON text", number: itemCount + 1, reason: reason)
    }
}
