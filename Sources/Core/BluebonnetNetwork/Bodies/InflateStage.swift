// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CZlib

/// Decodes one gzip or deflate coding. Owns one `z_stream` and one buffer, from the first byte to `close()`.
///
/// Consecutive members of a gzip stream are all decoded (RFC 1952, 2.2). Zeros after a member are padding, as for
/// gzip(1). Other bytes after the end are an error, because they cannot be distinguished from damage. `deflate` is the
/// zlib format, or raw deflate if the first two bytes are not a zlib header, as some servers send it.
final class InflateStage {
    /// `gzip`, `x-gzip` or `deflate`.
    let coding: String
    /// The number of bytes produced.
    private(set) var producedByteCount: Int64 = 0
    /// Whether the input so far is complete.
    private(set) var isAtEnd = false

    private var stream: UnsafeMutablePointer<z_stream>?
    private var output: UnsafeMutableBufferPointer<UInt8>?
    private var start: [UInt8] = []
    private var memberCount = 0

    init(coding: String) throws(NetworkingError) {
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else {
            throw NetworkingError(.cannotDecodeBody, "the body has the unknown content coding \(coding.prefix(80))")
        }
        self.coding = coding
    }

    deinit { close() }

    /// Frees the memory. May be called any number of times.
    func close() {
        if let stream {
            inflateEnd(stream)
            stream.deallocate()
        }
        output?.deallocate()
        stream = nil
        output = nil
    }

    /// Decodes the next bytes, and passes the output to the sink.
    func inflate(_ input: UnsafeRawBufferPointer, to sink: ContentDecoder.Sink) throws {
        var input = input
        if stream == nil {
            // The first two bytes distinguish the formats. They may arrive one by one.
            let missing = input.prefix(2 - start.count)
            start += missing
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst(missing.count))
            guard start.count == 2 else { return }
            try open()
            try start.withUnsafeBytes { try run($0, to: sink) }
        }
        try run(input, to: sink)
    }

    private func run(_ input: UnsafeRawBufferPointer, to sink: ContentDecoder.Sink) throws {
        guard let stream, let output, !input.isEmpty else { return }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = uInt(input.count)
        repeat {
            if isAtEnd {
                skipPadding(stream)
                guard stream.pointee.avail_in > 0 else { return }
                try beginMember(stream)
            }
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = uInt(output.count)
            let code = CZlib.inflate(stream, Z_NO_FLUSH)
            try handOn(output.count - Int(stream.pointee.avail_out), of: output, to: sink)
            if code == Z_BUF_ERROR { return }  // needs more input
            guard code == Z_OK || code == Z_STREAM_END else { throw failure(code) }
            isAtEnd = code == Z_STREAM_END
        } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isAtEnd)
    }

    private func handOn(
        _ count: Int, of output: UnsafeMutableBufferPointer<UInt8>, to sink: ContentDecoder.Sink
    ) throws {
        guard count > 0 else { return }
        producedByteCount += Int64(count)
        try sink(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[..<count]))
    }
}

// MARK: - The stream

extension InflateStage {
    private func open() throws(NetworkingError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = bluebonnet_inflate_init(stream, windowBits)
        guard code == Z_OK else {
            stream.deallocate()
            throw failure(code)
        }
        self.stream = stream
        output = .allocate(capacity: ContentDecoder.pieceByteCount)
    }

    /// zlib's number for the format: 15 bits of window, 16 more for gzip, negative for raw deflate.
    private var windowBits: Int32 {
        if coding != "deflate" { return 15 + 16 }
        let header = Int(start[0]) << 8 | Int(start[1])
        let isZlib = start[0] & 0x0F == 8 && start[0] >> 4 <= 7 && header.isMultiple(of: 31)
        return isZlib ? 15 : -15
    }

    private func skipPadding(_ stream: UnsafeMutablePointer<z_stream>) {
        guard coding != "deflate" else { return }
        while stream.pointee.avail_in > 0, stream.pointee.next_in?.pointee == 0 {
            stream.pointee.next_in? += 1
            stream.pointee.avail_in -= 1
        }
    }

    private func beginMember(_ stream: UnsafeMutablePointer<z_stream>) throws(NetworkingError) {
        guard coding != "deflate" else {
            throw NetworkingError(.cannotDecodeBody, "the body in the content coding deflate has data after its end")
        }
        let code = inflateReset(stream)
        guard code == Z_OK else { throw failure(code) }
        memberCount += 1
        isAtEnd = false
    }

    private func failure(_ code: Int32) -> NetworkingError {
        let text = stream?.pointee.msg.map { String(cString: $0) } ?? String(cString: zError(code))
        let isBehindEnd = memberCount > 0 && stream?.pointee.total_out == 0
        let fault = isBehindEnd ? "has data after its end" : "is damaged: \(text)"
        return NetworkingError(
            .cannotDecodeBody, "the body in the content coding \(coding) \(fault)",
            underlying: LibraryError(library: "zlib", code: Int(code), text: text))
    }
}

@available(*, unavailable)
extension InflateStage: Sendable {}
