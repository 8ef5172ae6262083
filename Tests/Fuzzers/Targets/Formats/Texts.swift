// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// A body as text: the first line is the `Content-Type`, the rest is the body.
    static let texts = FuzzTarget("texts") { input in
        var input = input
        let type = FieldBlock.text(input.line())
        let body = Data(input.rest)
        let charset = BodyEncoding.charset(of: type)
        for encoding in [BodyEncoding(ofText: body, charset: charset), BodyEncoding(of: body, charset: charset)] {
            guard let text = encoding.text(of: body), case .utf8 = encoding else { continue }
            let mark = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            try hold(text.utf8.elementsEqual(body.dropFirst(mark)), "UTF-8 stays as it is")
        }
        for encoding in [BodyEncoding.utf16(bigEndian: true), .utf16(bigEndian: false), .utf32(bigEndian: true)] {
            guard let text = encoding.text(of: body) else { continue }
            try hold(text.utf8.count <= 2 * body.count, "a text is at most twice its bytes")
        }
        _ = BodyEncoding.foundationEncoding(ofCharset: charset)
        let media = ResponseHead.mediaType(of: type)
        try hold(!media.utf8.contains(0x3B), "the media type \(media) has no parameters")
    }
}
