// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import FoundationXML
import Testing

@Suite struct ReportPageTests {
    private func measured(_ client: Contender, _ rate: Int, p99: Float? = nil) -> Measured {
        Measured(
            client: client, requestCount: rate, concurrency: 1, byteCount: 0, wallSeconds: 1, cpuSeconds: 0.5,
            latency: p99.flatMap { LatencySummary(microseconds: [$0]) }, peakResidentByteCount: 3 << 20)
    }

    private var report: RunReport {
        let gets = [1, 64].map { concurrency in
            CaseReport(
                Case(.tiny, concurrency: concurrency),
                rounds: [
                    .bluebonnet: [measured(.bluebonnet, 50)], .libcurl: [measured(.libcurl, 100, p99: 2000)],
                    .h2load: [measured(.h2load, 200, p99: 1000)],
                ])
        }
        let files = CaseReport(
            Case(.smallFiles, concurrency: 64),
            rounds: [.bluebonnetCommand: [measured(.bluebonnetCommand, 10)], .wget2: [measured(.wget2, 10)]])
        return RunReport(
            environment: ["date": "2026-11-28", "processor": "A < B"], roundCount: 3, cases: gets + [files],
            builds: [BuildFigure(title: "Bluebonnet", wallSeconds: 60.04, cpuSeconds: 100)])
    }

    @Test func everyMeasuredFigureHasPlot() {
        let plots = ReportPlots(report).all
        #expect(
            plots.map(\.name) == [
                "throughput-plain", "latency-plain", "memory-plain", "commands-small-files", "builds",
            ])
    }

    @Test func clientWithoutLatencyIsNotInLatencyPlot() throws {
        let svg = try #require(ReportPlots(report).latency(.plain)?.svg)
        #expect(svg.contains(">h2load<") && svg.contains(">libcurl in C<"))
        #expect(!svg.contains(">Bluebonnet<"))
    }

    @Test func plotsAreXML() {
        for plot in ReportPlots(report).all { #expect(XMLParser(data: Data(plot.svg.utf8)).parse(), "\(plot.name)") }
    }

    @Test func barsAreAsLongAsTheirValues() {
        let plot = BarPlot(
            title: "a & b",
            panels: [
                BarPlot.Panel(
                    title: "s",
                    bars: [
                        BarPlot.Bar(title: "one", value: 2, text: "2"), BarPlot.Bar(title: "two", value: 1, text: "1"),
                        BarPlot.Bar(title: "none", value: 0, text: "0"),
                    ])
            ])
        let widths = plot.svg.matches(of: /width="([\d.]+)" height="18"/).compactMap { Double($0.1) }
        #expect(widths.count == 3)
        #expect(widths[0] == 2 * widths[1] && widths[2] == 0)
        #expect(plot.svg.contains("a &amp; b"))
    }

    @Test func pageHasFactsPlotsTablesAndFailures() {
        let html = ReportPage(report, failures: ["wget2 <failed>"]).html
        #expect(html.contains("<td>processor</td><td>A &lt; B</td>"))
        #expect(html.components(separatedBy: "<svg ").count == 6)
        #expect(html.contains("<h3>GET of 13 bytes, HTTP/1.1, 64 in flight</h3>"))
        #expect(html.contains("<td>h2load</td><td>200 (200–200)</td>"))
        #expect(html.contains("<td>Bluebonnet</td><td>60.0</td><td>100.0</td>"))
        #expect(html.contains("wget2 &lt;failed&gt;"))
        #expect(
            !html.contains("http://") || html.components(separatedBy: "http://").count == 6, "only namespaces of SVG")
    }

    @Test func pageOfEmptyReportHasNoEmptySection() {
        let html = ReportPage(RunReport(environment: [:], roundCount: 1, cases: [])).html
        #expect(!html.contains("<h2>Plots</h2>") && !html.contains("<h2>Builds</h2>"))
    }

    @Test func h2loadTakesPartInGETsOnly() {
        #expect(Case(.tiny, .http2, concurrency: 1000).contenders.contains(.h2load))
        #expect(!Case(.json, concurrency: 1).contenders.contains(.h2load))
        #expect(!Contender.clients.contains(.h2load))
    }
}
