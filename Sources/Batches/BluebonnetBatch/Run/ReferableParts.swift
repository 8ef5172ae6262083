// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The parts of a line's response to which other lines can refer, as far as they are known before the line runs.
struct ReferableParts: Hashable, Sendable {
    /// The parts of a line that is one request, extracts nothing and keeps its body in memory.
    static let plain = ReferableParts(RequestLine(url: ""))

    private let isPaged, isFanOut, isStream, isFile, hasRows: Bool
    /// The names of the extracted values.
    private let valueNames: [ByteString]

    init(_ line: RequestLine) {
        let pipeline = line.boxedPipeline?.value
        isPaged = pipeline?.paginate != nil
        isFanOut = pipeline?.each != nil
        isStream = pipeline?.stream != nil
        hasRows = pipeline?.rows != nil
        isFile = line.output != nil
        valueNames = pipeline?.extract.keys.map { ByteString($0) }.sorted() ?? []
    }

    /// Returns why a reference can never be replaced; nil if it may be.
    ///
    /// - Parameter isPage: whether the reference is to a page of the line.
    func problem(of reference: ReferenceTemplate.Reference, isPage: Bool) -> String? {
        problem(of: reference.selector, reference.id, isPage).map { "\(reference) can never be replaced: \($0)" }
    }

    private func problem(
        of selector: ReferenceTemplate.Reference.Selector, _ id: String, _ isPage: Bool
    ) -> String? {
        func line(_ fact: String) -> String { "the line \(JSONText.quoted(id)) \(fact)" }
        if isFanOut { return line("has \"each\", and no response of its own") }
        let isWhole = isPaged && !isPage
        switch selector {
        case .status, .header: return nil
        case .body:
            if isStream { return line("has \"stream\", which keeps no body") }
            if isFile { return line("has \"output\", which keeps no body in memory") }
            return isWhole ? line("has \"paginate\"; a page has a body: ${\(id)/1.body}") : nil
        case .items, .pages:
            if isStream { return line("has \"stream\", and only its result line has the number of items") }
            if isPage { return "a page has no counts, only the line with \"paginate\"" }
            return isPaged ? nil : line("has no \"paginate\"")
        case .values(let path):
            if isStream { return line("has \"stream\", and only the result lines of its items have values") }
            if isWhole { return line("has \"paginate\"; a page has values: ${\(id)/1.values.NAME}") }
            return problem(ofValue: path).map(line)
        }
    }

    private func problem(ofValue path: [String]) -> String? {
        guard !valueNames.isEmpty else { return "has no \"extract\"" }
        var steps = path[...]
        if hasRows {
            guard let row = steps.popFirst(), let number = Int(row), number >= 0, String(number) == row else {
                return "has \"rows\": write the index of a row before the name, such as values.0.NAME"
            }
        }
        guard let name = steps.first, !valueNames.contains(ByteString(name)) else { return nil }
        let nearest = SpellingSuggestion.of(name, among: valueNames.map(\.string))
        let hint = nearest.map { ", did you mean \(JSONText.quoted($0))?" } ?? ""
        return "extracts no \(JSONText.quoted(name))\(hint)"
    }

    /// Whether the uses, apart from values, have no problem.
    func permit(_ uses: ReferenceUses, _ id: String, isPage: Bool) -> Bool {
        if uses.contains(.elements), isStream || isFile { return false }
        if uses.contains(.response), problem(of: .status, id, isPage) != nil { return false }
        if uses.contains(.body), problem(of: .body(path: []), id, isPage) != nil { return false }
        return !uses.contains(.counts) || problem(of: .items, id, isPage) == nil
    }

    /// Returns why the line's response can never have elements for another line; nil if it may.
    func problemOfElements(_ id: String) -> String? {
        guard isStream || isFile else { return nil }
        let field = isStream ? "stream" : "output"
        return "the line \(JSONText.quoted(id)) has \"\(field)\", and keeps no body in memory for elements"
    }
}

/// The parts of a dependency that a line uses.
struct ReferenceUses: OptionSet, Sendable {
    /// Any reference.
    static let response = ReferenceUses(rawValue: 1)
    static let body = ReferenceUses(rawValue: 2)
    static let counts = ReferenceUses(rawValue: 4)
    /// The elements of the response.
    static let elements = ReferenceUses(rawValue: 8)

    let rawValue: UInt8

    /// The uses of a reference. Values are not among them: they have names.
    init(_ selector: ReferenceTemplate.Reference.Selector) {
        switch selector {
        case .status, .header, .values: self = .response
        case .body: self = [.response, .body]
        case .items, .pages: self = [.response, .counts]
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// A value of another line that a line refers to.
struct ReferredValue: Sendable {
    /// The id of the other line.
    let id: String
    /// The names and indices of the value, at most two: those beyond depend on the response.
    let path: [String]

    /// Nil for a reference to another part.
    init?(_ reference: ReferenceTemplate.Reference) {
        guard case .values(let path) = reference.selector else { return nil }
        (id, self.path) = (reference.id, Array(path.prefix(2)))
    }
}

/// The referable parts of lines, by place. Plain lines need no memory, and equal parts are kept once.
struct ReferablePartsTable: Sendable {
    private var kinds: [ReferableParts] = []
    private var numbers: [ReferableParts: UInt32] = [:]
    private var places: [Int: UInt32] = [:]

    /// Adds the parts of a line; nil for a plain line.
    mutating func add(_ parts: ReferableParts?, at place: Int) {
        guard let parts, parts != .plain else { return }
        if let number = numbers[parts] {
            places[place] = number
        } else {
            let number = UInt32(kinds.count)
            kinds.append(parts)
            numbers[parts] = number
            places[place] = number
        }
    }

    subscript(place: Int) -> ReferableParts { places[place].map { kinds[Int($0)] } ?? .plain }

    /// Whether the line is plain: all of its response can be referred to, but no counts and no values.
    func isPlain(_ place: Int) -> Bool { places[place] == nil }
}

extension RequestLine {
    /// Checks that each reference can be replaced, and that the source of the elements can have some.
    ///
    /// - Parameter parts: returns the parts of the line with an id, or of the line with the page of this id; nil if the
    ///   line is not known.
    /// - Throws: the first reference that can never be replaced.
    func checkReferences(
        _ parts: (String) -> (parts: ReferableParts, isPage: Bool)?
    ) throws(RequestLineError) {
        if let id = elementSource, let problem = parts(id)?.parts.problemOfElements(id) {
            throw RequestLineError(at: FieldPath.top.member(Name.each.rawValue).member("of"), problem)
        }
        for placed in try placedReferences() {
            guard let known = parts(placed.reference.id),
                let problem = known.parts.problem(of: placed.reference, isPage: known.isPage)
            else { continue }
            throw RequestLineError(at: placed.path, problem)
        }
    }
}
