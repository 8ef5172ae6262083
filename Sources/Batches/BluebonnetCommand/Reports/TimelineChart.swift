// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Draws a timeline as SVG: a bar for each interval, with the failures at its foot.
struct TimelineChart {
    let timeline: RequestTimeline

    private static let (width, height) = (1200.0, 240.0)

    /// Whether there is nothing to draw.
    var isEmpty: Bool { timeline.intervals.isEmpty }

    /// The figure. Its text is outside of the SVG, which is stretched to the width of the page.
    var text: String {
        """
        <figure>
        <figcaption>up to \(Quantity.requestsPerSecond(timeline.highestRate)), \
        in intervals of \(EventText.duration(timeline.length)); failures are red</figcaption>
        <svg viewBox="0 0 \(Self.number(Self.width)) \(Self.number(Self.height))" preserveAspectRatio="none" \
        role="img" aria-label="Requests per second, and failures among them">
        \(bars.joined(separator: "\n"))
        </svg>
        <p class="axis"><span>0 s</span><span>\(Self.seconds(end))</span></p>
        </figure>
        """
    }

    /// The end of the last interval, in seconds.
    private var end: Double { timeline.length * Double(timeline.intervals.count) }

    private var bars: [String] {
        let slot = Self.width / Double(timeline.intervals.count)
        let highest = Double(max(1, timeline.intervals.map(\.count).max() ?? 1))
        return timeline.intervals.enumerated().filter { $0.element.count > 0 }.map { index, interval in
            let failed = Self.height * Double(interval.failureCount) / highest
            let others = Self.height * Double(interval.count - interval.failureCount) / highest
            let left = slot * (Double(index) + 0.05)
            func bar(_ name: String, bottom: Double, _ height: Double) -> String {
                guard height > 0 else { return "" }
                let place = [("x", left), ("y", Self.height - bottom - height), ("width", slot * 0.9)]
                let attributes = (place + [("height", height)]).map { "\($0.0)=\"\(Self.number($0.1))\"" }
                return "<rect class=\"\(name)\" \(attributes.joined(separator: " "))/>"
            }
            return "<g><title>\(title(index, interval))</title>" + bar("failure", bottom: 0, failed)
                + bar("success", bottom: failed, others) + "</g>"
        }
    }

    private func title(_ index: Int, _ interval: RequestTimeline.Interval) -> String {
        let start = Self.seconds(timeline.length * Double(index))
        return "from \(start): \(Quantity.count(interval.count, "request")), \(interval.failureCount) failed"
    }

    private static func seconds(_ seconds: Double) -> String {
        seconds < 59.95 ? String(format: "%.1f s", seconds) : Quantity.duration(seconds)
    }

    /// Returns a number with at most one digit after the point.
    private static func number(_ number: Double) -> String {
        let text = String(format: "%.1f", number)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
