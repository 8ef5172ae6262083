// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

@testable import BluebonnetCommand

/// The output of a converter for a text, up to its end or its first error.
struct ConvertedText: Equatable {
    private(set) var texts: [String] = []
    private(set) var warnings: [ConversionError] = []
    private(set) var error: ConversionError?

    /// - Parameter sliceByteCount: the number of bytes that arrive at once.
    init(_ text: String, _ converter: some LineConverter, sliceByteCount: Int = .max) {
        self.init(Array(text.utf8), converter, sliceByteCount: sliceByteCount)
    }

    init(_ bytes: [UInt8], _ converter: some LineConverter, sliceByteCount: Int = .max) {
        var (converter, rest) = (converter, bytes[...])
        while !rest.isEmpty, error == nil {
            converter.append(Array(rest.prefix(sliceByteCount)))
            rest = rest.dropFirst(sliceByteCount)
            readNext(&converter)
        }
        converter.finish()
        if error == nil { readNext(&converter) }
    }

    private mutating func readNext(_ converter: inout some LineConverter) {
        do throws(ConversionError) {
            while let conversion = try converter.next() {
                texts += conversion.texts
                warnings += conversion.warnings
            }
        } catch {
            self.error = error
        }
    }
}
