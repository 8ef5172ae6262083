// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// One part of a multipart body: its head as text, and where its bytes come from.
struct MultipartPart {
    /// Where bytes come from.
    enum Source {
        case data(Data)
        /// A file with the size that it had when it was added.
        case file(path: String, byteCount: Int64)
        /// A stream, made when it is needed, and whether it can be made (again).
        case stream(byteCount: Int64, () -> InputStream?, canRepeat: () -> Bool)

        var byteCount: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let byteCount), .stream(let byteCount, _, _): byteCount
            }
        }

        /// Whether the bytes can be had from the start.
        var canRepeat: Bool {
            switch self {
            case .data, .file: true
            case .stream(_, _, let canRepeat): canRepeat()
            }
        }
    }

    /// The field's name, for messages.
    let name: String
    /// The header lines, each with its end.
    let headers: String
    let source: Source
}

/// A whole multipart body as a list of pieces: separators and heads as data, between them what the parts carry.
struct MultipartBody {
    /// Bytes from one source; the name is the part's, for messages.
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
        // A body needs at least one part; one without any is only its end, which parsers take for an empty form.
        pieces.append((.data(Data(((form.parts.isEmpty ? "" : "\r\n") + "--\(form.boundary)--\r\n").utf8)), ""))
        self.pieces = pieces
        throttle = form.throttle
    }

    var byteCount: Int64 { pieces.reduce(0) { $0 + $1.source.byteCount } }

    var canRepeat: Bool { pieces.allSatisfy(\.source.canRepeat) }
}

/// A stream that is handed out once.
final class SingleUseStream {
    private let stream: InputStream
    private let isTaken = Atomic(false)

    init(_ stream: InputStream) { self.stream = stream }

    /// The stream; nil when it was handed out before.
    func take() -> InputStream? { isTaken.exchange(true, ordering: .relaxed) ? nil : stream }

    func isUntouched() -> Bool { !isTaken.load(ordering: .relaxed) }
}
