// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetServing

@Suite struct OpenMetricsTextTests {
    @Test func familiesAreWrittenInTheirOrder() {
        var text = OpenMetricsText()
        text.begin("lines", .counter, help: "Lines \\ of\nall.")
        text.count(3, [("outcome", "success"), ("name", "a\"b\\c\nd")])
        text.begin("age_seconds", .gauge, unit: "seconds", help: "The age.")
        text.add(0.25)
        text.add(7, [("worker", "w")])
        text.begin("build", .info, help: "The build.")
        text.info([("version", "1")])
        #expect(
            text.end == """
                # TYPE lines counter
                # HELP lines Lines \\\\ of\\nall.
                lines_total{outcome="success",name="a\\"b\\\\c\\nd"} 3
                # TYPE age_seconds gauge
                # UNIT age_seconds seconds
                # HELP age_seconds The age.
                age_seconds 0.25
                age_seconds{worker="w"} 7
                # TYPE build info
                # HELP build The build.
                build_info{version="1"} 1
                # EOF

                """)
    }

    @Test func bucketsOfHistogramsAreCumulative() {
        var histogram = MetricHistogram(bounds: [0.5, 1])
        for value in [0.25, 0.5, 0.75, 4] { histogram.record(value) }
        var text = OpenMetricsText()
        text.begin("wait_seconds", .histogram, unit: "seconds", help: "Waits.")
        text.add(histogram, [("reason", "slot")])
        #expect(
            text.end.split(separator: "\n").dropFirst(3) == [
                #"wait_seconds_bucket{reason="slot",le="0.5"} 2"#, #"wait_seconds_bucket{reason="slot",le="1"} 3"#,
                #"wait_seconds_bucket{reason="slot",le="+Inf"} 4"#, #"wait_seconds_count{reason="slot"} 4"#,
                #"wait_seconds_sum{reason="slot"} 5.5"#, "# EOF",
            ])
    }

    @Test(arguments: [(Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (1e300, "1e+300"), (-2, "-2")])
    func numbersAreThoseOfOpenMetrics(value: Double, text: String) {
        var metrics = OpenMetricsText()
        metrics.begin("x", .gauge, help: "X.")
        metrics.add(value)
        #expect(metrics.end.contains("\nx \(text)\n"))
    }
}

@Suite struct ServedResponseTests {
    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test func responseHasLengthDateAndProtection() {
        let response = ServedResponse(contentType: "text/html", body: Array("hello".utf8))
        let date = Date(timeIntervalSince1970: 784_111_777)
        let lines = Self.lines(response.encoded(hasBody: true, closes: false, date: date))
        #expect(
            lines == [
                "HTTP/1.1 200 OK", "Cache-Control: no-store",
                "Content-Length: 5", "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
                "Content-Type: text/html", "Cross-Origin-Resource-Policy: same-origin",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Referrer-Policy: no-referrer",
                "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "", "hello",
            ])
    }

    @Test func headHasLengthWithoutBody() {
        let response = ServedResponse(status: 404, text: "no page")
        let lines = Self.lines(response.encoded(hasBody: false, closes: true))
        #expect(lines.first == "HTTP/1.1 404 Not Found")
        #expect(lines.contains("Content-Length: 8") && lines.contains("Connection: close"))
        #expect(lines.suffix(2) == ["", ""])
    }

    @Test func ownFieldReplacesCommonField() {
        let response = ServedResponse(
            contentType: "text/html", body: [], fields: ["Content-Security-Policy": "default-src 'self'"])
        let policies = Self.lines(response.encoded(hasBody: true, closes: false)).filter {
            $0.hasPrefix("Content-Security-Policy")
        }
        #expect(policies == ["Content-Security-Policy: default-src 'self'"])
    }
}
