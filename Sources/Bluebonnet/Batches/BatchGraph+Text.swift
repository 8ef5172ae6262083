// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension BatchGraph {
    /// The picture in the language of Graphviz: `dot -Tsvg`.
    public var graphviz: String {
        var lines = ["digraph batch {", "  rankdir=LR;", "  node [shape=box, style=\"rounded,filled\"];"]
        for (index, node) in nodes.enumerated() {
            let label = node.lines.map(Self.escapedForGraphviz).joined(separator: "\\n")
            let width = node.isCritical ? ", penwidth=3" : ""
            lines.append("  n\(index) [label=\"\(label)\", fillcolor=\"\(node.state.color)\"\(width)];")
        }
        let critical = criticalEdges
        for edge in edges {
            let width = critical.contains(edge) ? " [penwidth=3]" : ""
            lines.append("  n\(edge.dependency) -> n\(edge.dependent)\(width);")
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    /// The picture in the language of Mermaid, which many viewers of Markdown draw.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for (index, node) in nodes.enumerated() {
            let label = node.lines.map(Self.escapedForMermaid).joined(separator: "<br/>")
            lines.append("  n\(index)[\"\(label)\"]")
        }
        let critical = criticalEdges
        for edge in edges {
            lines.append("  n\(edge.dependency) \(critical.contains(edge) ? "==>" : "-->") n\(edge.dependent)")
        }
        for (index, node) in nodes.enumerated() {
            let width = node.isCritical ? ",stroke-width:3px" : ""
            lines.append("  style n\(index) fill:\(node.state.color)\(width)")
        }
        return (lines + [""]).joined(separator: "\n")
    }

    private var criticalEdges: Set<Edge> {
        Set(zip(criticalPath, criticalPath.dropFirst()).map { Edge(dependency: $0, dependent: $1) })
    }

    /// A string of Graphviz ends at a quotation mark and knows escapes.
    private static func escapedForGraphviz(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: " ")
    }

    /// Mermaid's labels are a kind of HTML with entities of their own: "#" stands for the ampersand.
    private static func escapedForMermaid(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "#", "&", "<", ">", "`", "\\": escaped += "#\(scalar.value);"
            case "\n": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension BatchGraph.Node {
    /// Name, state and times.
    fileprivate var lines: [String] {
        guard let end else { return [name, state.rawValue] }
        guard let start else { return [name, state.rawValue + " at " + Self.text(end)] }
        return [name, "\(state.rawValue), \(Self.text(start)) to \(Self.text(end))"]
    }

    private static func text(_ duration: Duration) -> String {
        String(format: "%.3f s", duration.seconds)
    }
}

extension BatchGraph.Node.State {
    fileprivate var color: String {
        switch self {
        case .waiting: "#ffffff"
        case .running: "#fff3b0"
        case .success: "#c8e6c9"
        case .failure: "#ffcdd2"
        case .skipped: "#e0e0e0"
        case .cancelled: "#d1c4e9"
        }
    }
}
