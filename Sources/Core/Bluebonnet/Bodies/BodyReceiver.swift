// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Takes one response's body: content decoding, limits, and the sink behind. Network thread only.
struct BodyReceiver {
    let sink: any BodySink
    private let decoder: ContentDecoder?
    private let isFramed: Bool
    /// Called with each decoded piece that the sink has taken.
    var onPiece: ((UnsafeRawBufferPointer) -> Void)?

    /// - Parameter isFramed: whether the body's end is marked otherwise than by the end of the connection, so that an
    ///   empty one is known to be empty.
    init(
        sink: any BodySink, codings: [String], isFramed: Bool, maximumExpansionRatio: Int
    ) throws(NetworkingError) {
        self.sink = sink
        self.isFramed = isFramed
        let limits = ContentDecoder.Limits(
            decodedByteCount: sink.byteLimit.map(Int64.init), expansionRatio: Int64(maximumExpansionRatio))
        decoder = codings.isEmpty ? nil : try ContentDecoder(codings: codings, limits: limits)
    }

    /// Takes the body as it comes, whatever its coding.
    init(undecodedInto sink: any BodySink) {
        self.sink = sink
        (isFramed, decoder) = (true, nil)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        guard let decoder else { return try store(bytes) }
        do {
            try decoder.decode(bytes) { piece in try store(piece) }
        } catch {
            throw error as? NetworkingError ?? NetworkingError(.cannotDecodeBody, "\(error)", underlying: error)
        }
    }

    /// The body has ended as its framing says: so must its coding, unless there was no body at all.
    func finish() throws(NetworkingError) {
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
