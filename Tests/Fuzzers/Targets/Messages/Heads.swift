// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation
import FoundationNetworking

extension FuzzTarget {
    /// A response head, parsed line by line as libcurl delivers it, and the values read from it.
    static let heads = FuzzTarget("heads") { input in
        guard let head = try parsedHead(Array(input.rest), limit: 4096) else { return }
        for field in head.headers {
            try hold(FieldSyntax.isToken(field.name.utf8), "the name \(field.name) is a token")
            try hold(!field.value.utf8.contains { [0, 0x0A, 0x0D].contains($0) }, "a value has no line end or NUL")
        }
        try hold((100...999).contains(head.statusCode), "the status \(head.statusCode) is from 100 to 999")
        try checkFraming(head)
        try checkAgain(head)
        try checkQuestions(head)
    }

    /// The parsed head; nil if there is none or if it is refused.
    static func parsedHead(_ bytes: [UInt8], limit: Int = 256 * 1024) throws(FuzzFinding) -> ResponseHead? {
        guard let url = URL(string: "https://example.com/folder/file.txt") else { return nil }
        var parser = ResponseHeadParser(url: url, method: "GET", limit: limit)
        var (rest, byteCount, found) = (bytes[...], 0, ResponseHead?.none)
        while !rest.isEmpty {
            let line = rest.prefix((rest.firstIndex(of: 0x0A) ?? rest.endIndex - 1) - rest.startIndex + 1)
            rest = rest.dropFirst(line.count)
            byteCount += line.count
            do {
                guard case .complete(let head)? = try line.withUnsafeBytes({ try parser.consume(line: $0) }) else {
                    continue
                }
                try holdSame(found == nil, true, "a head is completed once")
                found = head
            } catch let finding as FuzzFinding {
                throw finding
            } catch {
                return nil
            }
            if byteCount > limit { throw FuzzFinding("\(byteCount) bytes of head passed a limit of \(limit)") }
        }
        return found
    }

    private static func checkFraming(_ head: ResponseHead) throws(FuzzFinding) {
        let lengths = ResponseHead.list(head.values(for: "content-length"))
        if let length = head.contentLength {
            try hold(length >= 0, "a length is not negative")
            try hold(lengths.allSatisfy { Int64($0) == length }, "\(lengths) are all the length \(length)")
            try hold(!head.hasField("transfer-encoding"), "a body has one framing")
        } else {
            try hold(lengths.isEmpty, "the lengths \(lengths) are read or refused")
        }
    }

    /// A head that is written out and parsed again has the same values.
    private static func checkAgain(_ head: ResponseHead) throws {
        var text = Array("HTTP/\(head.httpVersion) \(head.statusCode) \(head.reasonPhrase)\r\n".utf8)
        for field in head.headers { text += "\(field.name): \(field.value)\r\n".utf8 }
        guard let again = try parsedHead(text + Array("\r\n".utf8)) else {
            throw FuzzFinding("a head that was taken is refused when it is written again: \(head.headers.fields)")
        }
        try hold(again.headers.fields.isWrittenLike(head.headers.fields), "fields stay when they are written again")
        try holdSame(again.statusCode, head.statusCode, "the status stays")
        try holdSame(again.reasonPhrase, head.reasonPhrase, "the reason stays")
        try holdSame(again.contentLength, head.contentLength, "the length stays")
        try holdSame(again.contentCodings, head.contentCodings, "the content codings stay")
        try holdSame(again.isChunked, head.isChunked, "the transfer coding stays")
        let made = ResponseHead(url: head.url, statusCode: head.statusCode, headers: HeaderFields(head.headers.fields))
        try holdSame(made.headers, head.headers, "a head that is made of fields has them")
    }

    private static func checkQuestions(_ head: ResponseHead) throws {
        if let type = head.mediaType {
            try hold(!type.contains(";") && type == type.lowercased(), "the media type \(type) has no parameters")
        }
        _ = head.textEncoding
        _ = head.urlResponse?.statusCode
        try checkFileName(head.suggestedFileName)
        try hold(head.locations.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }, "a Location is ASCII")
        for location in head.locations where location.utf8.contains(0) { throw FuzzFinding("a Location has a NUL") }
        for method in ["GET", "HEAD", "CONNECT"] {
            _ = head.closesConnection(after: method)
            try hold(!head.hasBody(for: method) || head.statusCode >= 200, "an interim response has no body")
        }
        if let validator = head.strongValidator {
            try holdSame(validator.names(head), true, "the strong validator \(validator) names its head")
        }
    }
}
