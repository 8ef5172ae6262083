// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// A line plot over named categories, with panels side by side and one legend, as an SVG picture. It does not depend
/// on the plotted values.
package struct LinePlot: Sendable {
    /// One value for each category; nil leaves a gap.
    package struct Line: Sendable {
        let title: String
        let values: [Double?]

        package init(title: String, values: [Double?]) {
            self.title = title
            self.values = values
        }
    }

    package struct Panel: Sendable {
        let title: String
        let isLogarithmic: Bool
        let lines: [Line]

        package init(title: String, isLogarithmic: Bool = false, lines: [Line]) {
            self.title = title
            self.isLogarithmic = isLogarithmic
            self.lines = lines
        }
    }

    let title: String
    let categories: [String]
    let categoryTitle: String
    let panels: [Panel]

    package init(title: String, categories: [String], categoryTitle: String, panels: [Panel]) {
        self.title = title
        self.categories = categories
        self.categoryTitle = categoryTitle
        self.panels = panels
    }
}

// MARK: - Scales

/// Maps values to heights, and determines the grid lines. Steps are 1, 2 or 5 times a power of ten.
package struct PlotScale {
    /// The values of the grid lines, in ascending order.
    package let ticks: [Double]
    private let isLogarithmic: Bool

    package init(values: [Double], isLogarithmic: Bool) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        self.isLogarithmic = isLogarithmic
        ticks =
            isLogarithmic
            ? Self.decades(from: positive.min() ?? 1, to: positive.max() ?? 10) : Self.steps(to: positive.max() ?? 1)
    }

    /// Returns the height of a value: 0 at the lowest grid line, 1 at the highest.
    package func height(of value: Double) -> Double {
        let (low, high) = (position(ticks[0]), position(ticks[ticks.count - 1]))
        return (position(value) - low) / (high - low)
    }

    private func position(_ value: Double) -> Double {
        isLogarithmic ? log(max(value, ticks[0])) : value
    }

    /// Returns ticks from zero to the first step that is not below the largest value, in four to ten steps.
    private static func steps(to largest: Double) -> [Double] {
        var step = 1.0
        while step * 10 < largest { step *= 10 }
        while step > largest { step /= 10 }
        if largest / step < 2 { step /= 5 } else if largest / step < 5 { step /= 2 }
        let count = Int((largest / step).rounded(.up))
        return (0...max(count, 1)).map { Double($0) * step }
    }

    /// Returns ticks of 1, 2 and 5 times powers of ten, from the last that is not above the smallest value to the
    /// first that is not below the largest.
    private static func decades(from smallest: Double, to largest: Double) -> [Double] {
        let all = (-6...12).flatMap { exponent in [1, 2, 5].map { $0 * pow(10, Double(exponent)) } }
        let first = all.lastIndex { $0 <= smallest } ?? 0
        let last = all.firstIndex { $0 >= largest } ?? all.count - 1
        return Array(all[first...max(last, first + 1)])
    }
}
