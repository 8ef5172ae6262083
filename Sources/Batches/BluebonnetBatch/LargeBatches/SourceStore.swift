// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation
internal import Glibc

/// Keeps responses for the lines that refer to them, by position. The latest responses are kept unchanged, older ones
/// as bytes in memory, and more than a few megabytes of these in a file without a name. The owner's lock protects it.
struct SourceStore: ~Copyable {
    /// The limits of the responses that are kept unchanged: the bytes of their bodies, and their number.
    private static let (recentByteCount, recentCount) = (16 << 20, 4_096)
    /// The maximum number of bytes kept in memory.
    private static let memoryByteCount = 8 << 20

    private var recent: [Int: ReferenceSource] = [:]
    private var recentBytes = 0
    /// The responses that were read again, because lines often refer to the same response.
    private var readAgain: [Int: ReferenceSource] = [:]
    /// The offset of each stored response, counted from the first byte stored.
    private var offsets: [Int: Int] = [:]
    /// The keys of pages and elements, which are negative, by id; and the ids by the position of their line.
    private var partKeys: [ByteString: Int] = [:]
    private var parts: [Int: [String]] = [:]
    private var memory: [UInt8] = []
    /// The number of bytes in the file.
    private var fileEnd = 0
    private var file: CInt?
    /// Whether all writes to the disk have succeeded. After a failed write, everything is kept in memory.
    private var hasDisk = true

    /// Keeps a response.
    mutating func keep(_ source: ReferenceSource, at position: Int) {
        recent[position] = source
        recentBytes += source.body?.count ?? 0
        guard recent.count > Self.recentCount || recentBytes > Self.recentByteCount else { return }
        for (position, source) in recent {
            offsets[position] = fileEnd + memory.count
            memory.append(source)
            if memory.count > Self.memoryByteCount { writeMemory() }
        }
        (recent, recentBytes) = ([:], 0)
    }

    /// Keeps the response of a page or an element.
    mutating func keep(_ source: ReferenceSource, ofPart id: String, of position: Int) {
        let key = -1 - partKeys.count
        partKeys[ByteString(id)] = key
        parts[position, default: []].append(id)
        keep(source, at: key)
    }

    /// Returns the responses of a line's parts with their ids, or the response of a line without parts.
    mutating func responses(of position: Int, id: String) -> [(id: String, source: ReferenceSource)] {
        var responses: [(id: String, source: ReferenceSource)] = []
        guard let ids = parts[position] else { return source(at: position).map { [(id, $0)] } ?? [] }
        for id in ids {
            if let source = partKeys[ByteString(id)].flatMap({ source(at: $0) }) { responses.append((id, source)) }
        }
        return responses
    }

    /// Returns the response of a line or of one of its pages; nil if it was not kept, or cannot be read again.
    mutating func source(at position: Int, id: String, isPage: Bool) -> ReferenceSource? {
        guard isPage else { return source(at: position) }
        return partKeys[ByteString(id)].flatMap { source(at: $0) }
    }

    /// Returns the response of a line; nil if it was not kept, or cannot be read again.
    mutating func source(at position: Int) -> ReferenceSource? {
        if let source = recent[position] ?? readAgain[position] { return source }
        guard let offset = offsets[position], let source = read(at: offset) else { return nil }
        if readAgain.count >= 64 { readAgain = [:] }
        readAgain[position] = source
        return source
    }

    private func read(at offset: Int) -> ReferenceSource? {
        if offset >= fileEnd { return ReferenceSource(stored: memory[(offset - fileEnd)...]) }
        guard let length = Self.read(file, 8, at: offset),
            let bytes = Self.read(file, 8 + length[...].integer(), at: offset)
        else { return nil }
        return ReferenceSource(stored: bytes[...])
    }

    private mutating func writeMemory() {
        guard hasDisk else { return }
        if file == nil { file = NamelessFile.open() }
        guard let file, Self.write(memory, to: file, at: fileEnd) else {
            hasDisk = false
            return
        }
        fileEnd += memory.count
        memory.removeAll(keepingCapacity: true)
    }

    private static func write(_ bytes: [UInt8], to file: CInt, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, offset + written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    private static func read(_ file: CInt?, _ count: Int, at offset: Int) -> [UInt8]? {
        file.flatMap { FileBytes.read($0, count, at: offset) }
    }

    deinit { if let file { close(file) } }
}

// MARK: - As bytes

extension [UInt8] {
    /// Appends a response: the number of bytes that follow, status, number of fields, names and values, body, extracted
    /// values, numbers of pages and items.
    fileprivate mutating func append(_ source: ReferenceSource) {
        let start = count
        append(integer: 0)
        append(integer: source.status ?? -1)
        append(integer: source.headers.count)
        for field in source.headers {
            append(text: field.name)
            append(text: field.value)
        }
        append(integer: source.body?.count ?? -1)
        if let body = source.body { append(contentsOf: body) }
        append(text: source.values?.jsonText ?? "")
        append(integer: source.pageCounts?.pages ?? -1)
        append(integer: source.pageCounts?.items ?? -1)
        let length = count - start - 8
        Swift.withUnsafeBytes(of: length.littleEndian) { bytes in
            for (index, byte) in bytes.enumerated() { self[start + index] = byte }
        }
    }

    private mutating func append(integer: Int) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }

    private mutating func append(text: String) {
        append(integer: text.utf8.count)
        append(contentsOf: text.utf8)
    }
}

extension ArraySlice<UInt8> {
    /// Returns the integer at the beginning.
    fileprivate func integer() -> Int {
        Int(littleEndian: withUnsafeBytes { $0.loadUnaligned(as: Int.self) })
    }

    fileprivate mutating func consumeInteger() -> Int {
        defer { self = dropFirst(8) }
        return integer()
    }

    fileprivate mutating func consumeText() -> String {
        let count = consumeInteger()
        defer { self = dropFirst(count) }
        return String(decoding: prefix(count), as: UTF8.self)
    }
}

extension ReferenceSource {
    /// Reads what `append(_:)` wrote.
    fileprivate init(stored bytes: ArraySlice<UInt8>) {
        var rest = bytes.dropFirst(8)
        let status = rest.consumeInteger()
        var fields: [HeaderFields.Field] = []
        for _ in 0..<rest.consumeInteger() {
            let name = rest.consumeText()
            fields.append(HeaderFields.Field(name: name, value: rest.consumeText()))
        }
        let count = rest.consumeInteger()
        let body = count < 0 ? nil : Data(rest.prefix(count))
        rest = rest.dropFirst(max(0, count))
        let values = rest.consumeText()
        self.init(
            status: status < 0 ? nil : status, headers: HeaderFields(fields), body: body,
            values: values.isEmpty ? nil : try? JSONValue(parsing: Data(values.utf8)))
        let (pages, items) = (rest.consumeInteger(), rest.consumeInteger())
        if pages >= 0 { pageCounts = PageCounts(pages: pages, items: items) }
    }
}
