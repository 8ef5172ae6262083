// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The path of a value in a request line: the names and indices that lead to it.
struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// One step from a value to a value inside it.
    enum Component: Hashable, Sendable {
        case member(String)
        case element(Int)
    }

    /// The first component. It is stored apart because most paths have one name only, which then needs no array.
    private var first: Component?
    private var others: [Component] = []

    /// The line itself.
    static let top = FieldPath()

    var isEmpty: Bool { first == nil }
    var components: [Component] { first.map { [$0] + others } ?? [] }

    /// The names joined by dots, with indices in brackets: `script[1].do`.
    var description: String {
        components.reduce(into: "") { text, component in
            switch component {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .element(let index): text += "[\(index)]"
            }
        }
    }

    func member(_ name: String) -> FieldPath {
        appending(.member(name))
    }

    func element(_ index: Int) -> FieldPath {
        appending(.element(index))
    }

    mutating func push(_ component: Component) {
        if first == nil { first = component } else { others.append(component) }
    }

    private func appending(_ component: Component) -> FieldPath {
        var path = self
        path.push(component)
        return path
    }
}
