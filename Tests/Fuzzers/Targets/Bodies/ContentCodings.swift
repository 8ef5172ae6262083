// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    import CZlib
    import Foundation

    @testable import Bluebonnet
    @testable import BluebonnetNetwork

    extension FuzzTarget {
        /// A coded body, decoded in slices of different sizes. The first byte chooses the codings, the second byte
        /// the slices. The rest is the coded body or, if the highest bit of the first byte is set, the plain body to
        /// be coded first.
        static let contentCodings = FuzzTarget("content-codings") { input in
            var input = input
            let choice = input.byte()
            let seed = input.byte()
            let lists = [
                ["gzip"], ["deflate"], ["gzip", "gzip"], ["deflate", "gzip"], ["x-gzip"], [], ["gzip", "deflate"],
            ]
            let codings = lists[Int(choice & 0x7F) % lists.count]
            guard choice & 0x80 != 0 else { return try checkSlices(Array(input.rest), codings, seed) }
            let plain = Array(input.rest)
            var coded = plain
            for coding in codings { coded = deflated(coded, isGzip: coding != "deflate") }
            let whole = Decoding(coded, codings, slices: [coded.count])
            try hold(whole.output == plain && whole.fault == nil, "what was coded is decoded: \(whole.fault ?? "")")
            try checkSlices(coded, codings, seed)
            guard !codings.isEmpty, !coded.isEmpty else { return }
            let short = Decoding(Array(coded.dropLast(1 + Int(seed) % coded.count)), codings, slices: [7])
            try hold(short.fault != nil, "a body that is cut short is noticed")
            try hold(plain.starts(with: short.output), "what came before the cut is right")
        }

        /// The slices in which bytes arrive do not change the result. The output is never longer than the limit.
        private static func checkSlices(_ bytes: [UInt8], _ codings: [String], _ seed: UInt8) throws(FuzzFinding) {
            let whole = Decoding(bytes, codings, slices: [max(bytes.count, 1)])
            try hold(whole.output.count <= Decoding.limit, "\(whole.output.count) bytes passed the limit")
            let other = [1 + Int(seed & 0x0F), 1 + Int(seed >> 4) * 37]
            for slices in [[1], other, [64 * 1024 + 1]] {
                let sliced = Decoding(bytes, codings, slices: slices)
                try holdSame(sliced.fault, whole.fault, "the fault in slices of \(slices)")
                // The slices determine how much output precedes an error.
                let isSame = sliced.output == whole.output
                let isBeginning = sliced.output.starts(with: whole.output) || whole.output.starts(with: sliced.output)
                try hold(whole.fault == nil ? isSame : isBeginning, "the output in slices of \(slices)")
            }
        }

        private static func deflated(_ bytes: [UInt8], isGzip: Bool) -> [UInt8] {
            var stream = z_stream()
            deflateInit2_(
                &stream, 6, Z_DEFLATED, isGzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                CInt(MemoryLayout<z_stream>.size))
            defer { deflateEnd(&stream) }
            var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 64))
            let count = output.count
            let rest = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
                    (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
                    _ = deflate(&stream, Z_FINISH)
                    return Int(stream.avail_out)
                }
            }
            return Array(output.prefix(count - rest))
        }
    }

    /// The output of a decoder.
    private struct Decoding {
        /// The maximum count of decoded bytes.
        static let limit = 200_000

        private(set) var output: [UInt8] = []
        /// The code of the error; nil without an error.
        private(set) var fault: String?

        /// - Parameter slices: the sizes of the slices, used in rotation.
        init(_ bytes: [UInt8], _ codings: [String], slices: [Int]) {
            do {
                let limits = ContentDecoder.Limits(decodedByteCount: Int64(Self.limit))
                let decoder = try ContentDecoder(codings: codings, limits: limits)
                defer { decoder.close() }
                var (start, index) = (0, 0)
                while start < bytes.count {
                    let end = min(start + slices[index % slices.count], bytes.count)
                    try bytes[start..<end].withUnsafeBytes { try decoder.decode($0) { output += $0 } }
                    (start, index) = (end, index + 1)
                }
                try decoder.finish()
            } catch {
                fault = (error as? NetworkingError)?.code.rawValue ?? "\(error)"
            }
        }
    }
#endif
