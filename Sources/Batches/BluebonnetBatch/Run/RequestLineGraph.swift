// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The checked lines of a batch and their dependencies: ids are unique, dependencies are known and free of cycles, and
/// no two lines write the same output.
///
/// Use `init(_:)` to check a whole file. Use `add(_:)` for lines from a pipe, which are checked one by one; each line
/// can then depend on earlier lines only. The checks do not recurse, and their time is linear in the number of lines
/// and references.
public struct RequestLineGraph: Sendable {
    /// A line with its dependencies.
    public struct Node: Sendable {
        /// Shared by copies of the node, which are many: a line has more than twenty fields to copy.
        private final class Storage: Sendable {
            let line: NumberedLine
            let dependencies: [String]
            let readsResponses: Bool

            init(_ line: NumberedLine, _ dependencies: [String]) {
                self.line = line
                self.dependencies = dependencies
                readsResponses = !dependencies.isEmpty && (try? line.line.referencedMentions())?.isEmpty != true
            }
        }

        private let storage: Storage
        /// The line.
        public var line: NumberedLine {
            _read { yield storage.line }  // a copy would retain each of its fields
        }
        /// The ids that the line depends on, each once: first the ids in `after`, then the referenced ids, as first
        /// mentioned.
        public var dependencies: [String] { storage.dependencies }

        /// Whether the line refers to responses of its dependencies.
        var readsResponses: Bool { storage.readsResponses }

        init(line: NumberedLine, dependencies: [String]) {
            storage = Storage(line, dependencies)
        }

        /// Returns the node with another idempotency key in its line, and the same dependencies.
        package func with(idempotencyKey: RequestLine.Key) -> Node {
            var changed = line
            changed.line.idempotencyKey = idempotencyKey
            return Node(line: changed, dependencies: dependencies)
        }
    }

    /// The lines in the order in which they were given.
    public private(set) var nodes: [Node] = []
    private var indices: [ByteString: Int] = [:]
    /// The indices of the nodes, dependencies first.
    private var order: [Int] = []
    private var outputs = OutputPaths()

    /// Makes an empty graph.
    public init() {}

    /// Checks all lines of a batch. Throws all errors.
    public init(_ lines: [NumberedLine]) throws(RequestLineErrors) { try self.init(lines, reserved: []) }

    /// Checks all lines of a batch. Throws all errors.
    ///
    /// - Parameter reserved: the files that no line may write.
    package init(_ lines: [NumberedLine], reserved: [ReservedPath]) throws(RequestLineErrors) {
        outputs = OutputPaths(reserved: reserved)
        var errors: [RequestLineError] = []
        reserveCapacity(lines.count)
        lazy var ids = RequestLineIDs(lines)  // needed only if a line depends on another
        for line in lines {
            do throws(RequestLineError) {
                let checked = try checkedNode(line) { ids.contains($0) ? nil : "no line has the id" }
                insert(checked)
            } catch {
                errors.append(error.numbered(line.number))
            }
        }
        var table = DependencyTable()
        for node in nodes { table.append(node.dependencies.compactMap { index(of: $0) }.unique) }
        if lines.contains(where: { $0.line.boxedPipeline != nil }) {
            errors += RequestLineIDs(lines).parentErrors(lines)
        }
        for node in nodes {
            do throws(RequestLineError) {
                try checkReferences(node)
            } catch {
                errors.append(error.numbered(node.line.number))
            }
        }
        let dependencyOrder = DependencyOrder(table) { [nodes] in (nodes[$0].line.id, nodes[$0].line.number) }
        if let errors = RequestLineErrors(errors + dependencyOrder.cycles) { throw errors }
        order = dependencyOrder.order
    }

    /// Adds a line, which may depend on earlier lines only. If this throws an error, the graph is unchanged.
    @discardableResult
    public mutating func add(_ line: NumberedLine) throws(RequestLineError) -> Node {
        do throws(RequestLineError) {
            let checked = try checkedNode(line) { index(of: $0) == nil ? "no earlier line has the id" : nil }
            try checkReferences(checked.node)
            order.append(nodes.count)
            insert(checked)
            return checked.node
        } catch {
            throw error.numbered(line.number)
        }
    }

    /// Returns the ids that the line with this id depends on; nil if there is no such line.
    public func dependencies(of id: String) -> [String]? {
        indices[ByteString(id)].map { nodes[$0].dependencies }
    }

    /// The lines with dependencies first, otherwise in the given order.
    public var nodesInDependencyOrder: [Node] {
        order.map { nodes[$0] }
    }

    /// The index of the line with an id, or of the line with the page of this id.
    private func index(of id: String) -> Int? {
        if let index = indices[ByteString(id)] { return index }
        guard let line = PageID.line(of: id), let index = indices[ByteString(line)] else { return nil }
        return nodes[index].line.line.boxedPipeline?.value.paginate == nil ? nil : index
    }

    /// A checked line with its output.
    private typealias Checked = (node: Node, output: OutputPaths.Output?)

    private mutating func reserveCapacity(_ count: Int) {
        nodes.reserveCapacity(count)
        indices.reserveCapacity(count)
        outputs.reserveCapacity(count)
    }

    private mutating func insert(_ checked: Checked) {
        indices[ByteString(checked.node.line.id)] = nodes.count
        if let output = checked.output { outputs.claim(output, for: checked.node.line.number) }
        nodes.append(checked.node)
    }
}

extension RequestLineGraph.Node: Hashable {
    public static func == (one: Self, other: Self) -> Bool {
        one.storage === other.storage || one.line == other.line && one.dependencies == other.dependencies
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(line)
        hasher.combine(dependencies)
    }
}

// MARK: - Checks

extension RequestLineGraph {
    /// Checks the parts of a line that can be checked before its dependencies are followed. `reasonUnknown` returns
    /// the error message for an unknown id.
    private func checkedNode(
        _ line: NumberedLine, reasonUnknown: (String) -> String?
    ) throws(RequestLineError) -> Checked {
        if let first = indices[ByteString(line.id)] { throw .duplicate(line.id, of: nodes[first].line.number) }
        let output = try outputs.output(of: line)
        return (Node(line: line, dependencies: try line.dependencies(reasonUnknown)), output)
    }

    /// Checks that the references of a line can be replaced.
    private func checkReferences(_ node: Node) throws(RequestLineError) {
        guard !node.dependencies.isEmpty else { return }
        try node.line.line.checkReferences { id in
            index(of: id).map { (parts: ReferableParts(nodes[$0].line.line), isPage: indices[ByteString(id)] == nil) }
        }
    }
}

extension RequestLineError {
    static func duplicate(_ id: String, of line: Int) -> RequestLineError {
        RequestLineError(field: "id", message: "\(JSONText.quoted(id)) is already the id of line \(line)")
    }
}

extension NumberedLine {
    /// Returns the ids that the line depends on, each once: first the ids in `after`, then the referenced ids, as
    /// first mentioned.
    ///
    /// - Parameter reasonUnknown: returns the error message for an unknown id; nil for a known id.
    func dependencies(_ reasonUnknown: (String) -> String?) throws(RequestLineError) -> [String] {
        let mentions = try line.mentions()
        if mentions.isEmpty { return [] }
        var seen: Set<ByteString> = []
        var ids: [String] = []
        for mention in mentions where seen.insert(ByteString(mention.id)).inserted {
            if FieldSyntax.isSameText(mention.id, id) {
                throw RequestLineError(at: mention.path, "a line cannot depend on itself")
            }
            if let reason = reasonUnknown(mention.id) {
                throw RequestLineError(at: mention.path, "\(reason) \(JSONText.quoted(mention.id))")
            }
            ids.append(mention.id)
        }
        return ids
    }
}

extension RequestLine {
    /// Returns all mentions of other lines: those in `after`, the source of the elements, then the references.
    func mentions() throws(RequestLineError) -> [Mention] {
        if after.isEmpty, boxedPipeline == nil { return try referencedMentions() }
        let afterPath = FieldPath.top.member(Name.after.rawValue)
        var named = after.enumerated().map { Mention(id: $1, path: afterPath.element($0)) }
        if let id = elementSource {
            named.append(Mention(id: id, path: FieldPath.top.member(Name.each.rawValue).member("of")))
        }
        return named + (try referencedMentions())
    }
}
