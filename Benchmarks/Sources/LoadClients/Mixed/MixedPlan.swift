// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The requests of mixed traffic, by number. `MixedRequest.c` has the same formula for libcurl in C.
///
/// Every tenth request is a POST; the serializers alternate. Origins and paths follow no pattern, so that consecutive
/// requests rarely share them. No two requests have the same header fields or the same body.
package struct MixedPlan: Sendable {
    /// The number of paths of each origin. Each path has a different query.
    package static let pathCount = 1000

    /// The origins: a scheme, a host and a port, such as `http://127.0.0.1:8080`.
    package let origins: [String]
    /// The number of the first request, so that a warm-up and a measurement send different requests.
    package var firstNumber = 0
    /// Whether answers are decoded, by turns. If not, all clients keep the bytes.
    package var decodesAnswers = true

    /// - Parameter origins: at least one origin.
    package init(origins: [String]) {
        precondition(!origins.isEmpty, "mixed traffic needs at least one origin")
        self.origins = origins
    }

    /// Makes a request.
    ///
    /// - Parameter index: the number of requests before it.
    package func request(_ index: Int) -> MixedRequest {
        let number = firstNumber + index
        let seed = UInt64(number) &* Self.wordsPerRequest
        let place = Self.word(seed)
        let origin = origins[Int(UInt64(UInt32(truncatingIfNeeded: place)) % UInt64(origins.count))]
        let path = Int((place >> 32) % UInt64(Self.pathCount))
        return MixedRequest(
            url: Self.url(origin, path), traceParent: Self.traceParent(seed),
            idempotencyKey: ASCIIText.text(capacity: 16) { $0.write(hexadecimal: Self.word(seed + 4)) },
            authorization: Self.authorization(seed), body: number % 10 == 9 ? Self.body(number, path, seed) : nil,
            decoding: decoding(index))
    }

    /// Returns how a client decodes the answer to a request.
    package func decoding(_ index: Int) -> MixedRequest.Decoding {
        if !decodesAnswers { return .data }
        return switch (firstNumber + index) % 3 {
        case 0: .json
        case 1: .data
        default: .decodable
        }
    }
}

// MARK: - Texts

extension MixedPlan {
    private static let wordsPerRequest: UInt64 = 8

    /// The finalizer of SplitMix64: different seeds give different words.
    private static func word(_ seed: UInt64) -> UInt64 {
        var word = (seed &+ 1) &* 0x9e37_79b9_7f4a_7c15
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    private static func url(_ origin: String, _ path: Int) -> String {
        ASCIIText.text(capacity: origin.utf8.count + 96) { text in
            text.write(origin)
            text.write("/v1/shops/")
            text.write(decimal: path % 40)
            text.write("/items/")
            text.write(decimal: path)
            text.write("?page=")
            text.write(decimal: path % 50 + 1)
            text.write("&limit=")
            text.write(decimal: path % 5 * 20 + 20)
            text.write("&filter=")
            text.write(hexadecimal: word(1 << 63 | UInt64(path)))
        }
    }

    private static func traceParent(_ seed: UInt64) -> String {
        ASCIIText.text(capacity: 64) { text in
            text.write("00-")
            text.write(hexadecimal: word(seed + 1))
            text.write(hexadecimal: word(seed + 2))
            text.write("-")
            text.write(hexadecimal: word(seed + 3))
            text.write("-01")
        }
    }

    private static func authorization(_ seed: UInt64) -> String {
        ASCIIText.text(capacity: 64) { text in
            text.write("Bearer ")
            for index in 5...7 as ClosedRange<UInt64> { text.write(hexadecimal: word(seed + index)) }
        }
    }

    private static func body(_ number: Int, _ path: Int, _ seed: UInt64) -> String {
        ASCIIText.text(capacity: 96) { text in
            text.write(#"{"item":"#)
            text.write(decimal: path)
            text.write(#","quantity":"#)
            text.write(decimal: number % 100 + 1)
            text.write(#","reference":""#)
            text.write(hexadecimal: word(seed + 1))
            text.write(#"","isGift":false}"#)
        }
    }
}
