// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
internal import Foundation
internal import Glibc

/// Checks all lines of a file, a few megabytes at a time and on all processors, and keeps the facts needed to run each
/// line. Then checks the batch as a whole: ids, dependencies and outputs.
package struct BatchFileCheck {
    /// The error of a file whose lines cannot be run.
    package enum Failure: Error {
        case badLines(RequestLineErrors)
        /// The file cannot be read. The value is the system's error number.
        case unreadable(CInt)
    }

    /// The facts about a line that the check of the whole batch and the schedule need.
    private struct Line {
        let lane: UInt32
        let priority: RequestLine.Priority
        /// The end of the line's dependencies in `mentions`.
        let mentionEnd: Int
    }

    /// A line with pages or elements.
    private struct Parent {
        let place: Int
        let parts: LineParts
    }

    /// An extracted value, by the number of the mentioned id.
    private struct MentionedValue: Hashable {
        let mention: UInt32
        let path: [ByteString]
    }

    /// The number of bytes read at once. Longer lines are completed by further reads.
    private static let blockByteCount = 4 << 20

    private let descriptor: CInt
    private let rules: LineRules
    private var index = BatchFile.Index()
    private var outputs: OutputPaths
    private var schedule: LineSchedule
    private var lines: [Line] = []
    /// The dependencies of all lines, line after line, as numbers of ids.
    private var mentions: [UInt32] = []
    /// The parts of the response that each mention uses.
    private var uses: [ReferenceUses] = []
    /// The extracted values that lines refer to, each once.
    private var values: Set<MentionedValue> = []
    /// The mentions with a value that does not exist.
    private var faultyMentions: Set<UInt32> = []
    private var referable = ReferablePartsTable()
    private var parents: [Parent] = []
    /// The places of lines whose responses are streams of items.
    private var streams: [Int] = []
    private var lineErrors: [RequestLineError] = []
    private var batchErrors: [RequestLineError] = []
    private var lineCount = 0

    private init(
        _ descriptor: CInt, _ outputs: OutputPaths, _ limits: LineSchedule.Limits, _ rules: LineRules
    ) {
        (self.descriptor, self.outputs, self.rules) = (descriptor, outputs, rules)
        schedule = LineSchedule(limits)
    }

    /// Checks a file, beginning at its descriptor's position.
    ///
    /// - Parameters:
    ///   - reserved: the files that no line may write.
    ///   - rules: the fields that the options of the run permit.
    ///   - onBytes: receives the whole file, piece by piece.
    /// - Returns: the file, and a schedule of all its lines.
    /// - Throws: all errors of the lines, or the error of reading the file.
    package static func check(
        _ descriptor: CInt, limits: LineSchedule.Limits, reserved: [ReservedPath] = [],
        rules: LineRules = LineRules(), onBytes: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(Failure) -> (file: BatchFile, schedule: LineSchedule) {
        var check = BatchFileCheck(descriptor, OutputPaths(reserved: reserved), limits, rules)
        try check.readAll(onBytes)
        return try check.finish()
    }

    private mutating func readAll(_ onBytes: (UnsafeRawBufferPointer) -> Void) throws(Failure) {
        var (block, offset) = ([UInt8](), max(0, Int(lseek(descriptor, 0, SEEK_CUR))))
        while true {
            let kept = block.count
            guard let end = Self.read(descriptor, into: &block, at: offset + kept) else { throw .unreadable(errno) }
            block[kept...].withUnsafeBytes(onBytes)
            let isLast = end == 0
            let newline = block[kept...].lastIndex(of: UInt8(ascii: "\n"))
            guard isLast || newline != nil else { continue }
            let lineEnd = isLast ? block.count : (newline ?? 0) + 1
            parse(block[..<lineEnd], offset: offset)
            if isLast { return }
            block.removeFirst(lineEnd)
            offset += lineEnd
        }
    }

    /// Appends the next bytes. Returns their number; nil after an error.
    private static func read(_ descriptor: CInt, into block: inout [UInt8], at offset: Int) -> Int? {
        var count = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: blockByteCount) { buffer, readCount in
            repeat {
                count = pread(descriptor, buffer.baseAddress, blockByteCount, offset)
            } while count < 0 && errno == EINTR
            readCount = max(0, count)
        }
        guard count >= 0 else { return nil }
        if block.isEmpty { block = bytes } else { block.append(contentsOf: bytes) }
        return count
    }
}

// MARK: - Line by line

extension BatchFileCheck {
    /// The least number of lines that is worth another thread.
    private static let leastPieceLength = 128

    /// Parses a block of whole lines.
    private mutating func parse(_ block: ArraySlice<UInt8>, offset: Int) {
        let starts = Self.lineStarts(block)
        let processorCount = ProcessInfo.processInfo.activeProcessorCount
        let pieceLength = max((starts.count + 2 * processorCount - 1) / (2 * processorCount), Self.leastPieceLength)
        let pieceCount = (starts.count + pieceLength - 1) / pieceLength
        let pieces = Mutex([Int: BatchFilePiece]())
        let (first, outputs, rules) = (lineCount + 1, outputs, rules)
        let textEnd = block.last == UInt8(ascii: "\n") ? block.endIndex - 1 : block.endIndex
        DispatchQueue.concurrentPerform(iterations: pieceCount) { number in
            var piece = BatchFilePiece()
            for line in number * pieceLength..<min((number + 1) * pieceLength, starts.count) {
                let end = line + 1 < starts.count ? starts[line + 1] - 1 : textEnd
                let text = block[starts[line]..<end]
                piece.add(
                    text, number: first + line, offset: offset + text.startIndex, outputs: outputs, rules: rules)
            }
            pieces.withLock { $0[number] = piece }
        }
        lineCount += starts.count
        let found = pieces.withLock { $0 }
        for number in 0..<pieceCount { if let piece = found[number] { add(piece) } }
    }

    private static func lineStarts(_ block: ArraySlice<UInt8>) -> [Int] {
        guard !block.isEmpty else { return [] }
        var starts = [block.startIndex]
        block.withUnsafeBytes { bytes in
            var position = 0
            while let found = memchr(bytes.baseAddress! + position, 0x0A, bytes.count - position) {
                position = bytes.baseAddress!.distance(to: found) + 1
                guard position < bytes.count else { return }
                starts.append(block.startIndex + position)
            }
        }
        return starts
    }

    private mutating func add(_ piece: BatchFilePiece) {
        lineErrors += piece.errors
        index.uses.add(piece.uses)
        let lanes = piece.lanes.map { schedule.lane(named: $0) }
        for line in piece.lines { add(line, lane: lanes[line.lane]) }
    }

    private mutating func add(_ line: BatchFilePiece.Line, lane: Int) {
        let place = lines.count
        index.offsets.append(line.offset)
        index.byteCounts.append(UInt32(line.byteCount))
        index.checksums.append(line.checksum)
        index.haveOutput.append(line.hasOutput)
        let earlier = index.names.add(number: line.number, id: line.id, isPaged: line.parts?.isPaged ?? false)
        if let parts = line.parts { parents.append(Parent(place: place, parts: parts)) }
        if line.hasItems { streams.append(place) }
        referable.add(line.referable, at: place)
        let duplicate = earlier.map { earlier in
            RequestLineError.duplicate(index.names.id(at: place), of: index.names.number(at: earlier))
        }
        if let error = duplicate ?? line.output.flatMap({ outputs.problem(of: $0) }) ?? line.error {
            batchErrors.append(error.numbered(line.number))
        } else {
            if let output = line.output { outputs.claim(output, for: line.number) }
            for id in line.dependencies { mentions.append(UInt32(index.names.mention(id))) }
            uses += line.uses
            for value in line.values {
                let mention = UInt32(index.names.mention(value.id))
                values.insert(MentionedValue(mention: mention, path: value.path.map { ByteString($0) }))
            }
        }
        lines.append(Line(lane: UInt32(lane), priority: line.priority, mentionEnd: mentions.count))
    }
}

// MARK: - As a whole

extension BatchFileCheck {
    private mutating func finish() throws(Failure) -> (file: BatchFile, schedule: LineSchedule) {
        if let errors = RequestLineErrors(lineErrors) { throw .badLines(errors) }
        checkParents()
        findFaultyMentions()
        if rules.hasColumns { checkColumns() }
        var table = DependencyTable()
        var isInOrder = true
        for place in lines.indices {
            let dependencies = dependencies(of: place)
            if dependencies.contains(where: { $0 >= place }) { isInOrder = false }
            table.append(dependencies)
        }
        if !isInOrder {
            let order = DependencyOrder(table) { [names = index.names] in (names.id(at: $0), names.number(at: $0)) }
            batchErrors += order.cycles
            index.order = order.order.map { UInt32($0) }
        }
        if let errors = RequestLineErrors(batchErrors) { throw .badLines(errors) }
        if !isInOrder {
            index.positions = Array(repeating: 0, count: lines.count)
            for (position, place) in index.order.enumerated() { index.positions[Int(place)] = UInt32(position) }
        }
        index.streams = Set(streams.map { position(ofPlace: $0) })
        fillReaders()
        fillSchedule(table)
        return (BatchFile(descriptor: descriptor, index), schedule)
    }

    /// Checks the names of elements, and the ids that pages and elements of a line could get.
    private mutating func checkParents() {
        guard !parents.isEmpty else { return }
        for parent in parents {
            guard let name = parent.parts.elementName, let other = index.names.place(of: name) else { continue }
            let error = RequestLineError.elementName(name, of: index.names.number(at: other))
            batchErrors.append(error.numbered(index.names.number(at: parent.place)))
        }
        let places = Set(parents.map(\.place))
        for place in lines.indices {
            let id = index.names.id(at: place)
            let owner = PageID.possibleLines(of: id).lazy.compactMap { [names = index.names] in names.place(of: $0) }
                .first { places.contains($0) }
            guard let owner else { continue }
            let error = RequestLineError.ambiguous(id, of: index.names.number(at: owner))
            batchErrors.append(error.numbered(index.names.number(at: place)))
        }
    }

    /// Checks that all values can be columns of one table.
    private mutating func checkColumns() {
        var columns = ColumnNames()
        let names = index.uses.valueNames.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        var faultyLine: Int?
        for (name, line) in names where line != faultyLine {
            do throws(RequestLineError) {
                try columns.add(name.string, of: line)
            } catch {
                batchErrors.append(error.numbered(line))
                faultyLine = line
                if columns.isFull { return }
            }
        }
    }

    private mutating func fillReaders() {
        for parent in parents {
            index.parents.insert(position(ofPlace: parent.place))
            guard let id = parent.parts.elementSource, let source = index.names.place(of: id) else { continue }
            index.readers.add(
                position(ofPlace: parent.place), of: position(ofPlace: source), startsEarly: parent.parts.startsEarly)
        }
    }

    private func position(ofPlace place: Int) -> Int {
        index.positions.isEmpty ? place : Int(index.positions[place])
    }

    private func mentionRange(_ place: Int) -> Range<Int> {
        (place == 0 ? 0 : lines[place - 1].mentionEnd)..<lines[place].mentionEnd
    }

    /// Returns the places of the lines that a line depends on. For an invalid dependency it records an error and
    /// returns none.
    private mutating func dependencies(of place: Int) -> [Int] {
        let range = mentionRange(place)
        guard !range.isEmpty else { return [] }
        let places = mentions[range].map { index.names.place(ofMention: Int($0)) }
        let known = places.compactMap(\.self)
        // Pages of one line are several mentions and one dependency.
        guard known.count == places.count, !known.contains(place) else {
            batchErrors.append(error(at: place))
            return []
        }
        let mustCheck = zip(range, known).contains(where: { pair in isSuspect(mention: pair.0, of: pair.1) })
        if mustCheck { checkReferences(at: place) }
        return parents.isEmpty ? known : known.unique
    }

    /// Whether what a mention uses of a line may not exist.
    private func isSuspect(mention number: Int, of place: Int) -> Bool {
        let (mention, uses) = (mentions[number], uses[number])
        if faultyMentions.contains(mention) { return true }
        if referable.isPlain(place) { return uses.contains(.counts) }
        let id = index.names.text(ofMention: Int(mention))
        return !referable[place].permit(uses, id, isPage: index.names.isPage(id, at: place))
    }

    private mutating func findFaultyMentions() {
        for value in values {
            guard let place = index.names.place(ofMention: Int(value.mention)) else { continue }
            let id = index.names.text(ofMention: Int(value.mention))
            let reference = ReferenceTemplate.Reference(id: id, selector: .values(path: value.path.map(\.string)))
            let isPage = index.names.isPage(id, at: place)
            if referable[place].problem(of: reference, isPage: isPage) != nil { faultyMentions.insert(value.mention) }
        }
    }

    /// Records the error of a line's references, if there is one. This parses the line again.
    private mutating func checkReferences(at place: Int) {
        guard let line = line(at: place) else { return batchErrors.append(changedFile(at: place)) }
        do throws(RequestLineError) {
            try line.line.checkReferences { [names = index.names, referable] id in
                names.place(of: id).map { (parts: referable[$0], isPage: names.isPage(id, at: $0)) }
            }
        } catch {
            batchErrors.append(error.numbered(line.number))
        }
    }

    /// Reads and parses a line again; nil if that is no longer possible.
    private func line(at place: Int) -> NumberedLine? {
        let number = index.names.number(at: place)
        guard let bytes = FileBytes.read(descriptor, Int(index.byteCounts[place]), at: index.offsets[place]) else {
            return nil
        }
        return try? RequestLineParser().parse(bytes[...], number: number)
    }

    private func changedFile(at place: Int) -> RequestLineError {
        let number = index.names.number(at: place)
        return RequestLineError(line: number, message: "the file changed while it was being read")
    }

    /// Returns the error of a line's dependencies, with its field. This parses the line again, because fields are not
    /// kept.
    private func error(at place: Int) -> RequestLineError {
        let other = changedFile(at: place)
        guard let line = line(at: place) else { return other }
        do throws(RequestLineError) {
            _ = try line.dependencies { index.names.place(of: $0) == nil ? "no line has the id" : nil }
            return other
        } catch {
            return error.numbered(line.number)
        }
    }

    private mutating func fillSchedule(_ table: DependencyTable) {
        for position in lines.indices {
            let place = index.order.isEmpty ? position : Int(index.order[position])
            let dependencies = table[place].map { index.positions.isEmpty ? Int($0) : Int(index.positions[Int($0)]) }
            let range = mentionRange(place)
            let references =
                dependencies.isEmpty
                ? []
                : range.filter { uses[$0].contains(.response) }.compactMap { mention in
                    index.names.place(ofMention: Int(mentions[mention])).map { self.position(ofPlace: $0) }
                }
            schedule.add(
                lane: Int(lines[place].lane), priority: lines[place].priority, dependencies: dependencies,
                references: references)
        }
    }
}
