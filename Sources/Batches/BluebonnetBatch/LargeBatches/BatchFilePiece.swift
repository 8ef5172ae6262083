// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The contents of some lines of a file, read by one thread.
struct BatchFilePiece: Sendable {
    /// One line.
    struct Line: Sendable {
        let number: Int
        let offset: Int
        let byteCount: Int
        let checksum: UInt32
        let id: String?
        /// The number of its origin in `lanes`.
        let lane: Int
        let priority: RequestLine.Priority
        /// The ids that it waits for, each once.
        var dependencies: [String] = []
        /// Those of them that it refers to.
        var references: [String] = []
        /// Whether it has an `output`.
        let hasOutput: Bool
        /// Its outputs, as far as they are known.
        var output: OutputPaths.Output?
        /// The errors of its references.
        var error: RequestLineError?
    }

    private(set) var lines: [Line] = []
    /// The names of the origins, and their numbers.
    private(set) var lanes: [String] = []
    private var laneNumbers: [ByteString: Int] = [:]
    /// The errors of single lines.
    private(set) var errors: [RequestLineError] = []
    /// The beginning of the URL before, and its origin: the next URL mostly has the same one.
    private var latest: (prefix: String, lane: Int)?

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - offset: where the line begins in the file.
    ///   - outputs: what makes names of files out of paths.
    mutating func add(_ text: ArraySlice<UInt8>, number: Int, offset: Int, outputs: OutputPaths) {
        do throws(RequestLineError) {
            guard let parsed = try RequestLineParser().parse(text, number: number)?.line else { return }
            var line = Line(
                number: number, offset: offset, byteCount: text.count, checksum: BatchFile.checksum(text),
                id: parsed.id, lane: lane(of: parsed.url), priority: parsed.priority,
                hasOutput: parsed.output != nil)
            do throws(RequestLineError) {
                line.output = try outputs.namedOutput(of: NumberedLine(number: number, line: parsed))
                line.references = try parsed.referencedIDs()
                line.dependencies = Self.unique(parsed.after, line.references)
            } catch {
                line.error = error
            }
            lines.append(line)
        } catch {
            errors.append(error.numbered(number))
        }
    }

    private static func unique(_ named: [String], _ references: [String]) -> [String] {
        if named.isEmpty { return references }
        return (named + references).uniqueTexts
    }

    private mutating func lane(of url: String) -> Int {
        if let latest, url.utf8.starts(with: latest.prefix.utf8) { return latest.lane }
        let name = RequestLine.lane(of: url)
        let lane = laneNumbers[ByteString(name)] ?? lanes.count
        if lane == lanes.count {
            lanes.append(name)
            laneNumbers[ByteString(name)] = lane
        }
        let end = url.utf8.index(url.startIndex, offsetBy: name.utf8.count)
        if !name.isEmpty, end < url.utf8.endIndex { latest = (String(url[...end]), lane) }
        return lane
    }
}
