// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Builds a JSON object from values at paths.
struct JSONTree {
    private enum Node {
        case leaf(JSONValue)
        case branch(JSONTree)
    }

    private var nodes: [ByteString: Node] = [:]

    /// Sets the value at a path, which must not be empty. A value at the path, or at a part of it, is replaced.
    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let name = path.first.map(ByteString.init) else { return }
        guard path.count > 1 else {
            nodes[name] = .leaf(value)
            return
        }
        // Removed during the change, so that it is not copied.
        var branch = if case .branch(let branch)? = nodes.removeValue(forKey: name) { branch } else { JSONTree() }
        branch.set(value, at: path.dropFirst())
        nodes[name] = .branch(branch)
    }

    /// Returns the members.
    ///
    /// - Parameter names: the members in which an object with indices as names becomes an array. Missing elements are
    ///   left out.
    func object(withArraysIn names: [String]) -> JSONObject {
        var members = JSONObject()
        for (name, node) in nodes {
            members[name.string] = Self.value(node, hasArrays: names.contains(name.string))
        }
        return members
    }

    private static func value(_ node: Node, hasArrays: Bool) -> JSONValue {
        switch node {
        case .leaf(let value): value
        case .branch(let tree): hasArrays ? tree.arrayOrObject : .object(tree.object(withArraysIn: []))
        }
    }

    private var arrayOrObject: JSONValue {
        let indices = nodes.keys.compactMap { name in Self.index(name.string).map { (index: $0, name: name) } }
        let values = nodes.mapValues { Self.value($0, hasArrays: true) }
        if indices.count == nodes.count {
            return .array(indices.sorted { $0.index < $1.index }.compactMap { values[$0.name] })
        }
        var members = JSONObject()
        for (name, value) in values { members[name.string] = value }
        return .object(members)
    }

    private static func index(_ name: String) -> Int? {
        guard let index = Int(name), index >= 0, FieldSyntax.isSameText(String(index), name) else { return nil }
        return index
    }
}
