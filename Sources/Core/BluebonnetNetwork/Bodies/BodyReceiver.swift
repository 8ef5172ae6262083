// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Receives the body of one response: decodes the content codings, checks the limits and writes to the sink. Network
/// thread only.
package struct BodyReceiver {
    package let sink: any BodySink
    private let decoder: ContentDecoder?
    private let isFramed: Bool
    /// Called with each decoded piece after the sink has accepted it.
    package var onPiece: ((UnsafeRawBufferPointer) -> Void)?

    /// - Parameter isFramed: whether something other than the end of the connection marks the end of the body, so that
    ///   an empty body is known to be empty.
    package init(
        sink: any BodySink, codings: [String], isFramed: Bool, maximumExpansionRatio: Int
    ) throws(NetworkingError) {
        self.sink = sink
        self.isFramed = isFramed
        let limits = ContentDecoder.Limits(
            decodedByteCount: sink.byteLimit.map(Int64.init), expansionRatio: Int64(maximumExpansionRatio))
        decoder = codings.isEmpty ? nil : try ContentDecoder(codings: codings, limits: limits)
    }

    /// Passes the body to the sink without decoding it.
    package init(undecodedInto sink: any BodySink) {
        self.sink = sink
        (isFramed, decoder) = (true, nil)
    }

    /// Makes the body a copy of a file, if it goes to an output file as it is.
    ///
    /// - Returns: whether the body is complete; otherwise it has to be received in pieces.
    package func copy(_ file: CacheBodyFile) -> Bool {
        guard decoder == nil, onPiece == nil, let sink = sink as? FileSink, sink.byteCount == 0 else { return false }
        sink.copy(file)
        return true
    }

    package func receive(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        guard let decoder else { return try store(bytes) }
        do {
            try decoder.decode(bytes) { piece in try store(piece) }
        } catch {
            throw error as? NetworkingError ?? NetworkingError(.cannotDecodeBody, "\(error)", underlying: error)
        }
    }

    /// Ends the body when its framing has ended. Throws if a coding is incomplete, unless a framed body is empty.
    package func finish() throws(NetworkingError) {
        try decoder?.finish(isDeclaredEmpty: isFramed)
        if !sink.closesLater { sink.complete() }
    }

    private func store(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        if let limit = sink.byteLimit, sink.byteCount + Int64(bytes.count) > Int64(limit) {
            throw NetworkingError(.bodyTooLarge, "the body is larger than the limit of \(limit) bytes")
        }
        try sink.write(bytes)
        onPiece?(bytes)
    }
}
