// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// One part of a multipart body: its headers as text, and the source of its bytes.
struct MultipartPart {
    /// The source of a part's bytes.
    enum Source {
        case data(Data)
        /// A file, with its size at the time when it was added.
        case file(path: String, byteCount: Int64)
        /// A stream that is made when it is needed, and whether it can be made (again).
        case stream(byteCount: Int64, () -> InputStream?, isReplayable: () -> Bool)

        var byteCount: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let byteCount), .stream(let byteCount, _, _): byteCount
            }
        }

        /// Whether the bytes can be read from their start.
        var isReplayable: Bool {
            switch self {
            case .data, .file: true
            case .stream(_, _, let isReplayable): isReplayable()
            }
        }
    }

    /// The field's name, for messages.
    let name: String
    /// The header lines, each with its line end.
    let headers: String
    let source: Source
}

/// A whole multipart body as a list of pieces: separators and headers as data, and the contents of the parts between
/// them.
struct MultipartBody {
    /// A source of bytes, and the name of its part, for messages.
    typealias Piece = (source: MultipartPart.Source, name: String)

    let pieces: [Piece]
    let throttle: MultipartFormData.Throttle?

    init(_ form: MultipartFormData) {
        var pieces: [Piece] = []
        for (index, part) in form.parts.enumerated() {
            let start = (index > 0 ? "\r\n" : "") + "--\(form.boundary)\r\n\(part.headers)\r\n"
            pieces.append((.data(Data(start.utf8)), part.name))
            pieces.append((part.source, part.name))
        }
        // A body needs at least one part. Without parts it is only the closing delimiter, which parsers read as an
        // empty form.
        pieces.append((.data(Data(((form.parts.isEmpty ? "" : "\r\n") + "--\(form.boundary)--\r\n").utf8)), ""))
        self.pieces = pieces
        throttle = form.throttle
    }

    var byteCount: Int64 { pieces.reduce(0) { $0 + $1.source.byteCount } }

    var isReplayable: Bool { pieces.allSatisfy(\.source.isReplayable) }
}

/// Returns a stream once.
final class SingleUseStream {
    private let stream: InputStream
    private let isConsumed = Atomic(false)

    init(_ stream: InputStream) { self.stream = stream }

    /// Returns the stream; nil after the first call.
    func consume() -> InputStream? { isConsumed.exchange(true, ordering: .relaxed) ? nil : stream }

    func isUntouched() -> Bool { !isConsumed.load(ordering: .relaxed) }
}
