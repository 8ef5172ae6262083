// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The fields that the options of a run permit in its lines. Each line is checked by itself.
package struct LineRules: Sendable {
    /// Whether there is a state file.
    package var hasState: Bool
    /// Whether there is a cache.
    package var hasCache: Bool
    /// Whether values become rows, which begin with the id of the operation.
    package var hasRows: Bool
    /// Whether the rows become rows of an SQLite table. They are not checked by `check(_:)`: see `ColumnNames`.
    package var hasColumns: Bool
    /// Whether a fleet runs the lines.
    private let isForFleet: Bool

    /// Makes rules. Without arguments, they permit every line that a run can have.
    package init(
        hasState: Bool = true, hasCache: Bool = true, hasRows: Bool = false, hasColumns: Bool = false,
        isForFleet: Bool = false
    ) {
        (self.hasState, self.hasCache, self.isForFleet) = (hasState, hasCache, isForFleet)
        (self.hasRows, self.hasColumns) = (hasRows, hasColumns)
    }

    /// - Throws: the first field that the options do not permit.
    package func check(_ line: RequestLine) throws(RequestLineError) {
        if !hasState, let mention = try line.stateMention() {
            throw RequestLineError(at: mention, "${state.…} needs --state FILE, which has the member")
        }
        if line.unique != nil, !isForFleet {
            let path = FieldPath.top.member(RequestLine.Name.unique.rawValue)
            throw RequestLineError(at: path, "only a fleet knows the lines of other batches: use bluebonnet submit")
        }
        if !hasCache, line.cache != nil {
            let path = FieldPath.top.member(RequestLine.Name.cache.rawValue)
            throw RequestLineError(at: path, "needs --cache DIR, whose responses it permits or refuses")
        }
        guard let pipeline = line.boxedPipeline?.value else { return }
        try line.checkElementFile()
        if !pipeline.remember.isEmpty { try checkRemembering() }
        if isForFleet, pipeline.stream != nil {
            let path = FieldPath.top.member(RequestLine.Pipeline.Name.stream.rawValue)
            throw RequestLineError(at: path, "a fleet does not read streams item by item: use bluebonnet run")
        }
        if hasRows { try check(names: pipeline.extract.keys.sorted()) }
    }

    private func checkRemembering() throws(RequestLineError) {
        let path = FieldPath.top.member(RequestLine.Pipeline.Name.remember.rawValue)
        guard !isForFleet else {
            throw RequestLineError(at: path, "the state file is on one machine: use bluebonnet run --state FILE")
        }
        guard hasState else { throw RequestLineError(at: path, "needs --state FILE, which gets the members") }
    }

    private func check(names: [String]) throws(RequestLineError) {
        guard let name = names.first(where: { $0.lowercased() == "id" }) else { return }
        let path = FieldPath.top.member(RequestLine.Pipeline.Name.extract.rawValue).member(name)
        throw RequestLineError(
            at: path, "the rows of --into have the operation's id in the column \"id\": use another name")
    }
}

/// The values that the lines of a batch take from their responses.
struct LineUses: Sendable {
    /// The names of the values that the lines extract, each with the number of the first line.
    private(set) var valueNames: [ByteString: Int] = [:]
    /// Whether a line remembers values.
    private(set) var remembers = false
    /// The files with the elements of lines.
    private(set) var elementFiles: Set<ByteString> = []

    mutating func add(_ pipeline: RequestLine.Pipeline, of line: Int) {
        if case .file(let path)? = pipeline.each?.source { elementFiles.insert(ByteString(path)) }
        for name in pipeline.extract.keys where valueNames[ByteString(name)] == nil {
            valueNames[ByteString(name)] = line
        }
        if !pipeline.remember.isEmpty { remembers = true }
    }

    mutating func add(_ other: LineUses) {
        valueNames.merge(other.valueNames) { min($0, $1) }
        remembers = remembers || other.remembers
        elementFiles.formUnion(other.elementFiles)
    }
}
