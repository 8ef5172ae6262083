// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The plots of a report, each with the name of its file. It does not depend on where they are shown.
package struct ReportPlots: Sendable {
    private let report: RunReport

    package init(_ report: RunReport) {
        self.report = report
    }

    /// The pictures as SVG, in the order in which a page shows them.
    package var all: [(name: String, svg: String)] {
        let wires = Wire.allCases.flatMap { wire in
            [
                ("throughput-\(wire.rawValue)", throughput(wire)?.svg),
                ("latency-\(wire.rawValue)", latency(wire)?.svg),
                ("memory-\(wire.rawValue)", memory(wire)?.svg),
            ]
        }
        let works = [Work.smallFiles, .largeFiles].map { ("commands-\($0.rawValue)", commands($0)?.svg) }
        return (wires + works + [("builds", builds?.svg)]).compactMap { name, svg in svg.map { (name, $0) } }
    }

    /// Requests per second and CPU time over the number of requests in flight, for the GETs of 13 bytes over one wire;
    /// nil if fewer than two concurrencies were measured.
    package func throughput(_ wire: Wire) -> LinePlot? {
        plot(
            wire, title: "GET of 13 bytes over \(wire.title)",
            [
                (.requestsPerSecond, "requests a second", false),
                (.cpuMicrosecondsPerRequest, "CPU µs a request, log scale", true),
            ])
    }

    /// The median and the 99th percentile of the latency, for clients that start a request when another has ended.
    package func latency(_ wire: Wire) -> LinePlot? {
        plot(
            wire, title: "Latency of a GET of 13 bytes over \(wire.title)",
            [
                (.p50Milliseconds, "median, ms, log scale", true),
                (.p99Milliseconds, "99th percentile, ms, log scale", true),
            ])
    }

    /// The peak of the resident memory.
    package func memory(_ wire: Wire) -> LinePlot? {
        plot(
            wire, title: "Memory of the process, GET of 13 bytes over \(wire.title)",
            [(.peakResidentMebibytes, "peak of the resident memory, MiB", false)])
    }

    /// The time, the CPU time and the memory of the commands that download many files.
    package func commands(_ work: Work) -> BarPlot? {
        guard let columns = report.cases.first(where: { $0.testCase.work == work })?.columns, !columns.isEmpty else {
            return nil
        }
        let panels = [Metric.wallSeconds, .cpuSeconds, .peakResidentMebibytes].map { metric in
            BarPlot.Panel(
                title: metric.title,
                bars: columns.compactMap { column in
                    column.figures[metric.rawValue].map {
                        BarPlot.Bar(
                            title: column.contender.title, value: $0.median,
                            text: Spread.text($0.median, metric.fractionDigits))
                    }
                })
        }
        return BarPlot(title: work.title, panels: panels)
    }

    /// The time of clean release builds; nil if none was measured.
    package var builds: BarPlot? {
        guard !report.builds.isEmpty else { return nil }
        let bars = { (value: (BuildFigure) -> Double) in
            report.builds.map {
                BarPlot.Bar(title: $0.title, value: value($0), text: Spread.text(value($0), 1))
            }
        }
        return BarPlot(
            title: "A clean release build of a program with one request",
            panels: [
                BarPlot.Panel(title: "time, s", bars: bars(\.wallSeconds)),
                BarPlot.Panel(title: "CPU, s", bars: bars(\.cpuSeconds)),
            ])
    }

    private func plot(
        _ wire: Wire, title: String, _ panels: [(metric: Metric, title: String, isLogarithmic: Bool)]
    ) -> LinePlot? {
        let cases = report.cases.filter { $0.testCase.work == .tiny && $0.testCase.wire == wire }
            .sorted { $0.testCase.concurrency < $1.testCase.concurrency }
        guard cases.count > 1 else { return nil }
        return LinePlot(
            title: title, categories: cases.map { "\($0.testCase.concurrency)" }, categoryTitle: "requests in flight",
            panels: panels.map { panel in
                LinePlot.Panel(
                    title: panel.title, isLogarithmic: panel.isLogarithmic, lines: Self.lines(cases, panel.metric))
            })
    }

    private static func lines(_ cases: [CaseReport], _ metric: Metric) -> [LinePlot.Line] {
        Contender.allCases.compactMap { contender in
            let values = cases.map { $0[contender]?.figures[metric.rawValue]?.median }
            guard values.contains(where: { $0 != nil }) else { return nil }
            return LinePlot.Line(title: contender.title, values: values)
        }
    }
}
