// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    import BluebonnetHTTP
    import Foundation

    @testable import Bluebonnet
    @testable import BluebonnetNetwork

    extension FuzzTarget {
        /// The fields that a resumed transfer needs, one per line: `Content-Range`, `ETag`, `Last-Modified`, `Date`.
        static let ranges = FuzzTarget("ranges") { input in
            var input = input
            let names = ["Content-Range", "ETag", "Last-Modified", "Date"]
            var text = Array("HTTP/1.1 206 Partial Content\r\n".utf8)
            for name in names where !input.isEmpty { text += Array("\(name): ".utf8) + input.line() + [0x0D, 0x0A] }
            guard let head = try parsedHead(text + [0x0D, 0x0A]) else { return }
            if let range = head.contentRange { try checkRange(range) }
            for (offset, total) in [(0, nil), (5, nil), (5, 10), (.max, nil), (.max, .max)] as [(Int64, Int64?)] {
                try checkResumption(of: head, offset: offset, total: total)
            }
            guard let validator = head.strongValidator else { return }
            try holdSame(validator.names(head), true, "a validator names the head that it is of")
            let coded = try JSONDecoder().decode(StrongValidator.self, from: JSONEncoder().encode(validator))
            try holdSame(coded, validator, "a validator stays when it is coded")
            switch validator {
            case .entityTag(let tag):
                try hold(tag.utf8.count >= 2 && tag.utf8.first == 0x22 && tag.utf8.last == 0x22, "\(tag) is quoted")
                try hold(!tag.utf8.dropFirst().dropLast().contains(0x22), "\(tag) is one tag")
            case .lastModified(let date): try hold(HTTPDate.parse(date) != nil, "\(date) is a date")
            }
            try hold(FieldSyntax.forbiddenByte(inValue: validator.fieldValue.utf8) == nil, "a validator can be sent")
        }

        private static func checkRange(_ range: ContentRange) throws(FuzzFinding) {
            let text: String
            switch range {
            case .part(let first, let last, let total):
                try hold(
                    0 <= first && first <= last && total.map { last < $0 } ?? true, "\(range) lies inside of the body")
                text = "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")"
            case .unsatisfied(let total):
                try hold(total >= 0, "\(range) is a length")
                text = "bytes */\(total)"
            }
            try holdSame(ContentRange(text), range, "\(text) is read again")
        }

        /// A body is resumed only where it stopped.
        private static func checkResumption(of head: ResponseHead, offset: Int64, total: Int64?) throws(FuzzFinding) {
            let validator = head.strongValidator ?? .entityTag("\"abc\"")
            let resumption = RangeResumption(
                offset: offset, validator: validator, totalByteCount: total,
                responseURLDigest: PartialRecord.digest(of: head.url))
            guard case .append = resumption.decide(on: head) else { return }
            guard case .part(let first, let last, let ofAll)? = head.contentRange else {
                throw FuzzFinding("a part without a range is appended")
            }
            try holdSame(first, offset, "the beginning of what is appended")
            try hold(ofAll == nil || total == nil || ofAll == total, "the total \(ofAll ?? -1) is \(total ?? -1)")
            try hold(
                head.contentLength.map { $0 == 0 ? false : $0 - 1 == last - first } ?? true, "the length fits the range"
            )
        }
    }
#endif
