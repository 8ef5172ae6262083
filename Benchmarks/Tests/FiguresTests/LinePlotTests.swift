// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import FoundationXML
import Testing

@Suite struct PlotScaleTests {
    @Test(
        arguments: [
            (54_012.0, [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]),
            (18, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]),
            (4.2, [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5]),
            (10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ] as [(Double, [Double])])
    func gridLinesAreRoundNumbersUpToTheLargestValue(largest: Double, expected: [Double]) {
        let ticks = PlotScale(values: [1, largest], isLogarithmic: false).ticks
        #expect(ticks.count == expected.count)
        #expect(zip(ticks, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(ticks)")
    }

    @Test func logarithmicScaleStepsBy1And2And5() {
        let ticks = PlotScale(values: [16, 430], isLogarithmic: true).ticks
        #expect(zip(ticks, [10, 20, 50, 100, 200, 500]).allSatisfy { abs($0 / $1 - 1) < 1e-9 })
        #expect(ticks.count == 6)
    }

    @Test func heightsGoFromZeroToOne() {
        let linear = PlotScale(values: [80], isLogarithmic: false)
        #expect(linear.height(of: 0) == 0 && linear.height(of: 80) == 1 && linear.height(of: 20) == 0.25)
        let logarithmic = PlotScale(values: [1, 100], isLogarithmic: true)
        #expect(abs(logarithmic.height(of: 10) - 0.5) < 1e-9)
    }
}

@Suite struct LinePlotTests {
    @Test func svgIsXMLWithAMarkForEachValue() throws {
        let plot = LinePlot(
            title: "A < B & C", categories: ["1", "64"], categoryTitle: "in flight",
            panels: [
                LinePlot.Panel(
                    title: "rate",
                    lines: [
                        LinePlot.Line(title: "one", values: [10, 20]), LinePlot.Line(title: "two", values: [nil, 5]),
                    ])
            ])
        let counter = ElementCounter()
        let parser = XMLParser(data: Data(plot.svg.utf8))
        parser.delegate = counter
        #expect(parser.parse())
        #expect(counter.counts["circle"] == 3)
        #expect(counter.texts.contains("A < B & C"))
        #expect(["one", "two", "rate", "in flight", "64"].allSatisfy(counter.texts.contains))
    }

    @Test func plotNeedsTwoConcurrencies() {
        let measurement = Measured(
            client: .libcurl, requestCount: 1, concurrency: 1, byteCount: 0, wallSeconds: 1, cpuSeconds: 1,
            latency: nil,
            peakResidentByteCount: 0)
        let reports = [1, 64].map { CaseReport(Case(.tiny, concurrency: $0), rounds: [.libcurl: [measurement]]) }
        let plot = { (cases: [CaseReport]) in
            ReportPlots(RunReport(environment: [:], roundCount: 1, cases: cases)).throughput(.plain)
        }
        #expect(plot([reports[0]]) == nil)
        #expect(plot(reports)?.svg.contains("libcurl in C") == true)
    }
}

/// Counts elements and collects their texts.
private final class ElementCounter: NSObject, XMLParserDelegate {
    private(set) var counts: [String: Int] = [:]
    private(set) var texts: Set<String> = []
    private var text = ""

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        counts[name, default: 0] += 1
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        texts.insert(text)
    }
}
