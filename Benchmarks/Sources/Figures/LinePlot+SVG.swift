// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

// The picture has a white background, so that it is legible on a dark page. Each line has a colour and marks.
extension LinePlot {
    private static let panelWidth = 400.0
    private static let panelHeight = 280.0
    private static let (left, top, gap, bottom) = (70.0, 70.0, 70.0, 60.0)
    private static let colours = [
        "#c2410c", "#f59e0b", "#a16207", "#2563eb", "#0891b2", "#6b7280", "#111827", "#16a34a", "#be185d",
    ]

    /// The picture as SVG.
    package var svg: String {
        let legend = legend
        let width = Self.left + Double(panels.count) * (Self.panelWidth + Self.gap) - Self.gap + 20
        let height = Self.top + Self.panelHeight + Self.bottom + Double((titles.count + 2) / 3) * 20 + 10
        let body = panels.enumerated().map { index, panel in
            picture(panel, x: Self.left + Double(index) * (Self.panelWidth + Self.gap))
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.text(width))" height="\(Self.text(height))" \
            viewBox="0 0 \(Self.text(width)) \(Self.text(height))" font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>
            \(Self.label(title, x: Self.left, y: 26, extra: "font-size=\"16\" font-weight=\"bold\""))
            \((body + [legend]).joined(separator: "\n"))
            </svg>

            """
    }

    /// The titles of all lines, in the order of their first appearance. A line has the same colour in every panel.
    private var titles: [String] {
        panels.flatMap(\.lines).reduce(into: []) { titles, line in
            if !titles.contains(line.title) { titles.append(line.title) }
        }
    }

    private func colour(of title: String) -> String {
        Self.colours[(titles.firstIndex(of: title) ?? 0) % Self.colours.count]
    }

    private var legend: String {
        titles.enumerated().map { index, title in
            let x = Self.left + Double(index % 3) * 290
            let y = Self.top + Self.panelHeight + Self.bottom + Double(index / 3) * 20
            return Self.stroke([(x, y - 4), (x + 24, y - 4)], colour(of: title), width: 3)
                + Self.label(title, x: x + 32, y: y)
        }.joined(separator: "\n")
    }

    private func picture(_ panel: Panel, x left: Double) -> String {
        let scale = PlotScale(
            values: panel.lines.flatMap(\.values).compactMap { $0 }, isLogarithmic: panel.isLogarithmic)
        let y = { (value: Double) in Self.top + Self.panelHeight * (1 - scale.height(of: value)) }
        let x = { (index: Int) in left + Self.panelWidth * (Double(index) + 0.5) / Double(categories.count) }
        let grid = scale.ticks.map { tick in
            Self.stroke([(left, y(tick)), (left + Self.panelWidth, y(tick))], "#dddddd", width: 1)
                + Self.label(Self.text(tick), x: left - 6, y: y(tick) + 4, extra: "text-anchor=\"end\"")
        }
        let names = categories.enumerated().map { index, name in
            Self.label(name, x: x(index), y: Self.top + Self.panelHeight + 18, extra: "text-anchor=\"middle\"")
        }
        let lines = panel.lines.map { line in
            let points = line.values.enumerated().compactMap { index, value in value.map { (x(index), y($0)) } }
            let colour = colour(of: line.title)
            return Self.stroke(points, colour, width: 2) + points.map { Self.mark($0, colour) }.joined()
        }
        let heads = [
            Self.label(panel.title, x: left, y: Self.top - 16),
            Self.label(
                categoryTitle, x: left + Self.panelWidth / 2, y: Self.top + Self.panelHeight + 36,
                extra: "text-anchor=\"middle\""),
        ]
        return (grid + names + heads + lines).joined(separator: "\n")
    }

    // MARK: Elements

    private static func label(_ text: String, x: Double, y: Double, extra: String = "") -> String {
        "<text x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" fill=\"#222222\" \(extra)>\(MarkupText.escaped(text))</text>"
    }

    private static func stroke(_ points: [(Double, Double)], _ colour: String, width: Int) -> String {
        let list = points.map { "\(text($0.0)),\(text($0.1))" }.joined(separator: " ")
        return "<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(width)\"/>"
    }

    private static func mark(_ point: (Double, Double), _ colour: String) -> String {
        "<circle cx=\"\(text(point.0))\" cy=\"\(text(point.1))\" r=\"3\" fill=\"\(colour)\"/>"
    }

    /// Returns a number with at most two decimals, without trailing zeros.
    private static func text(_ value: Double) -> String {
        let text = String(format: "%.2f", value)
        return text.contains(".") ? String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed()) : text
    }
}
