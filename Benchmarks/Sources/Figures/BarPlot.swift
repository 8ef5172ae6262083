// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Bars from left to right, with panels side by side, as an SVG picture. Each panel has its own scale, from zero. It
/// does not depend on the plotted values.
package struct BarPlot: Sendable {
    package struct Bar: Sendable {
        let title: String
        let value: Double
        let text: String

        /// - Parameter text: the value as shown behind the bar.
        package init(title: String, value: Double, text: String) {
            self.title = title
            self.value = value
            self.text = text
        }
    }

    package struct Panel: Sendable {
        let title: String
        let bars: [Bar]

        package init(title: String, bars: [Bar]) {
            self.title = title
            self.bars = bars
        }
    }

    private static let (nameWidth, barWidth, valueWidth) = (150.0, 130.0, 60.0)
    private static let (top, rowHeight) = (60.0, 26.0)

    let title: String
    let panels: [Panel]

    package init(title: String, panels: [Panel]) {
        self.title = title
        self.panels = panels
    }

    /// The picture as SVG, with a white background, so that it is legible on a dark page.
    package var svg: String {
        let panelWidth = Self.nameWidth + Self.barWidth + Self.valueWidth
        let rowCount = panels.map(\.bars.count).max() ?? 0
        let (width, height) = (
            20 + Double(panels.count) * panelWidth, Self.top + Double(rowCount) * Self.rowHeight + 20
        )
        let body = panels.enumerated().map { picture($1, x: 20 + Double($0) * panelWidth) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.text(width))" height="\(Self.text(height))" \
            viewBox="0 0 \(Self.text(width)) \(Self.text(height))" font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>
            <text x="20" y="24" fill="#222222" font-size="16" font-weight="bold">\(MarkupText.escaped(title))</text>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    private func picture(_ panel: Panel, x left: Double) -> String {
        let largest = panel.bars.map(\.value).max() ?? 0
        let rows = panel.bars.enumerated().map { index, bar in
            let y = Self.top + Double(index) * Self.rowHeight
            let width = largest > 0 ? Self.barWidth * max(bar.value, 0) / largest : 0
            let (start, baseline) = (left + Self.nameWidth, y + 13)
            return "<text x=\"\(Self.text(left))\" y=\"\(Self.text(baseline))\" fill=\"#222222\">"
                + "\(MarkupText.escaped(bar.title))</text>"
                + "<rect x=\"\(Self.text(start))\" y=\"\(Self.text(y))\" width=\"\(Self.text(width))\" height=\"18\" "
                + "fill=\"\(Self.colour(of: bar))\"/>"
                + "<text x=\"\(Self.text(start + width + 6))\" y=\"\(Self.text(baseline))\" fill=\"#222222\">"
                + "\(MarkupText.escaped(bar.text))</text>"
        }
        let head =
            "<text x=\"\(Self.text(left))\" y=\"\(Self.text(Self.top - 12))\" fill=\"#222222\">"
            + "\(MarkupText.escaped(panel.title))</text>"
        return ([head] + rows).joined(separator: "\n")
    }

    /// The own bars differ from the others.
    private static func colour(of bar: Bar) -> String {
        bar.title.lowercased().hasPrefix("bluebonnet") ? "#c2410c" : "#2563eb"
    }

    private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}
