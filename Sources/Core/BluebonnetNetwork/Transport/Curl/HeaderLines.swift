// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetHTTP
internal import CCurl
internal import Glibc

/// The lines for a request's header fields in the form that libcurl takes (CURLOPT_HTTPHEADER). List elements and
/// texts are in one block of memory, which is reused for the next request. libcurl reads the block during a transfer;
/// it neither copies nor frees it. Network thread only; call `close()` before releasing the value.
///
/// A list made by libcurl needs two blocks for each line, and a Swift string before that (benchmark `mixed`).
struct HeaderLines {
    /// The largest block that is kept for the next request, in bytes.
    private static let keptByteCount = 4096
    private static let elementByteCount = MemoryLayout<curl_slist>.stride
    private var block = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Writes the lines of a request over the previous lines. A transfer must not begin while libcurl still has the
    /// previous list.
    ///
    /// - Parameters:
    ///   - fields: the fields, without NUL. A field with an empty or blank value is sent without value.
    ///   - unwanted: the names of fields that libcurl must not add.
    /// - Returns: the list; nil if it is empty.
    mutating func write(
        _ fields: [HeaderFields.Field], unwanted: [String]
    ) -> UnsafeMutablePointer<curl_slist>? {
        let count = fields.count + unwanted.count
        guard count > 0 else { return nil }
        var byteCount = count * Self.elementByteCount
        for field in fields { byteCount += field.name.utf8.count + field.value.utf8.count + 3 }
        for name in unwanted { byteCount += name.utf8.count + 2 }
        var writer = Writer(makeRoom(for: byteCount), count: count, byteCount: byteCount)
        for field in fields {
            writer.write(field.name)
            // libcurl omits a field with a blank value. After a semicolon, it sends the field without value.
            let isBlank = FieldSyntax.isBlank(field.value)
            writer.write(UInt8(ascii: isBlank ? ";" : ":"))
            if !isBlank {
                writer.write(0x20)
                writer.write(field.value)
            }
            writer.endLine()
        }
        for name in unwanted {
            writer.write(name)
            writer.write(UInt8(ascii: ":"))
            writer.endLine()
        }
        return writer.first
    }

    /// Overwrites the lines, which may contain credentials. The memory is kept for the next request. libcurl must not
    /// have the list any more.
    func erase() {
        guard let start = block.baseAddress else { return }
        explicit_bzero(start, block.count)
    }

    mutating func close() {
        erase()
        block.deallocate()
        block = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    private mutating func makeRoom(for byteCount: Int) -> UnsafeMutableRawPointer {
        if block.count < byteCount || block.count > Self.keptByteCount {
            erase()
            block.deallocate()
            block = .allocate(byteCount: byteCount, alignment: MemoryLayout<curl_slist>.alignment)
        }
        guard let start = block.baseAddress else { preconditionFailure("a block of memory has no address") }
        return start
    }

    /// Writes the elements, followed by the texts.
    private struct Writer {
        let first: UnsafeMutablePointer<curl_slist>
        private let count: Int
        private let end: UnsafeMutableRawPointer
        private var lineCount = 0
        private var line: UnsafeMutableRawPointer
        private var next: UnsafeMutableRawPointer

        init(_ start: UnsafeMutableRawPointer, count: Int, byteCount: Int) {
            first = start.bindMemory(to: curl_slist.self, capacity: count)
            self.count = count
            line = start + count * HeaderLines.elementByteCount
            next = line
            end = start + byteCount
        }

        mutating func write(_ text: String) {
            var text = text
            text.withUTF8 { bytes in
                precondition(bytes.count <= end - next, "a header line is longer than its room")
                guard let start = bytes.baseAddress else { return }
                memcpy(next, start, bytes.count)
                next += bytes.count
            }
        }

        mutating func write(_ byte: UInt8) {
            precondition(next < end, "a header line is longer than its room")
            next.storeBytes(of: byte, as: UInt8.self)
            next += 1
        }

        mutating func endLine() {
            write(0)
            lineCount += 1
            (first + lineCount - 1).initialize(
                to: curl_slist(
                    data: line.assumingMemoryBound(to: CChar.self),
                    next: lineCount < count ? first + lineCount : nil))
            line = next
        }
    }
}
