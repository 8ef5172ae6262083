// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The lines of a batch and what each waits for, checked: every id once, every dependency known, no cycle, and no two
/// lines with one output.
///
/// A file is checked as a whole, with `init(_:)`. From a pipe, where a line is checked as it comes, use `add(_:)`; then
/// a line can only depend on earlier ones. Nothing here is recursive, and the time is linear in lines and references.
public struct RequestLineGraph: Sendable {
    /// A line with its dependencies.
    public struct Node: Sendable {
        /// A line has more than twenty fields, and a node goes through many hands: they share it.
        private final class Storage: Sendable {
            let line: NumberedLine
            let dependencies: [String]

            init(_ line: NumberedLine, _ dependencies: [String]) {
                self.line = line
                self.dependencies = dependencies
            }
        }

        private let storage: Storage
        /// The line.
        public var line: NumberedLine {
            _read { yield storage.line }  // a copy would retain each of its fields
        }
        /// The ids that it waits for, each once: those of `after`, then those that it refers to, as first mentioned.
        public var dependencies: [String] { storage.dependencies }

        init(line: NumberedLine, dependencies: [String]) {
            storage = Storage(line, dependencies)
        }

        /// The node with another key in its line, which waits for the same lines.
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

    /// Makes an empty graph, to add lines to.
    public init() {}

    /// Checks all lines of a batch, or throws all errors.
    public init(_ lines: [NumberedLine]) throws(RequestLineErrors) { try self.init(lines, reserved: []) }

    /// Checks all lines of a batch, or throws all errors.
    ///
    /// - Parameter reserved: files that no line may write.
    package init(_ lines: [NumberedLine], reserved: [ReservedPath]) throws(RequestLineErrors) {
        outputs = OutputPaths(reserved: reserved)
        var errors: [RequestLineError] = []
        reserveCapacity(lines.count)
        lazy var ids = Set(lines.map { ByteString($0.id) })  // asked for when a line waits for another
        for line in lines {
            do throws(RequestLineError) {
                let checked = try checkedNode(line) { ids.contains(ByteString($0)) ? nil : "no line has the id" }
                insert(checked)
            } catch {
                errors.append(error.numbered(line.number))
            }
        }
        var table = DependencyTable()
        for node in nodes { table.append(node.dependencies.compactMap { indices[ByteString($0)] }) }
        let dependencyOrder = DependencyOrder(table) { [nodes] in (nodes[$0].line.id, nodes[$0].line.number) }
        if let errors = RequestLineErrors(errors + dependencyOrder.cycles) { throw errors }
        order = dependencyOrder.order
    }

    /// Adds a line that depends on earlier lines only; after an error the graph is unchanged.
    @discardableResult
    public mutating func add(_ line: NumberedLine) throws(RequestLineError) -> Node {
        do throws(RequestLineError) {
            let checked = try checkedNode(line) { indices[ByteString($0)] == nil ? "no earlier line has the id" : nil }
            order.append(nodes.count)
            insert(checked)
            return checked.node
        } catch {
            throw error.numbered(line.number)
        }
    }

    /// The ids that the line with this id waits for; nil when there is no such line.
    public func dependencies(of id: String) -> [String]? {
        indices[ByteString(id)].map { nodes[$0].dependencies }
    }

    /// The lines in an order in which dependencies come first: the given order, as far as it allows.
    public var nodesInDependencyOrder: [Node] {
        order.map { nodes[$0] }
    }

    /// A line that may be inserted, and what it writes.
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
    /// Checks what can be said of a line before its dependencies are followed; `reasonUnknown` judges their ids.
    private func checkedNode(
        _ line: NumberedLine, reasonUnknown: (String) -> String?
    ) throws(RequestLineError) -> Checked {
        if let first = indices[ByteString(line.id)] { throw .duplicate(line.id, of: nodes[first].line.number) }
        let output = try outputs.output(of: line)
        return (Node(line: line, dependencies: try line.dependencies(reasonUnknown)), output)
    }
}

extension RequestLineError {
    static func duplicate(_ id: String, of line: Int) -> RequestLineError {
        RequestLineError(field: "id", message: "\(JSONText.quoted(id)) is the id of line \(line) already")
    }
}

extension NumberedLine {
    /// The ids that the line waits for, each once: those of `after`, then those that it refers to, as first mentioned.
    ///
    /// - Parameter reasonUnknown: why an id is not known; nil for one that is.
    func dependencies(_ reasonUnknown: (String) -> String?) throws(RequestLineError) -> [String] {
        let mentions = try line.mentions()
        if mentions.isEmpty { return [] }
        var seen: Set<ByteString> = []
        var ids: [String] = []
        for mention in mentions where seen.insert(ByteString(mention.id)).inserted {
            if FieldSyntax.isSameText(mention.id, id) {
                throw RequestLineError(at: mention.path, "a line cannot wait for itself")
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
    /// Everything that makes an operation wait for another.
    func mentions() throws(RequestLineError) -> [Mention] {
        if after.isEmpty { return try referencedMentions() }
        let afterPath = FieldPath.top.member(Name.after.rawValue)
        let named = after.enumerated().map { Mention(id: $1, path: afterPath.element($0)) }
        return named + (try referencedMentions())
    }
}
