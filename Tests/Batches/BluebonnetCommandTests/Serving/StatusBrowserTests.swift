// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Foundation
import RealServers
import Testing

@testable import BluebonnetCommand

/// Drives the page in a browser.
@Suite(.serialized, .enabled(if: Chromium.isAvailable), .timeLimit(.minutes(3))) struct StatusBrowserTests {
    private static func with(_ body: @escaping @Sendable (Chromium, StatusServer) throws -> Void) async throws {
        let server = try statusServer(CountingSource())
        defer { server.stop() }
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                done.resume(
                    with: Result {
                        let browser = try Chromium()
                        try body(browser, server)
                        #expect(browser.complaints == [])
                    })
            }
        }
    }

    private static let isLive = "document.querySelectorAll('#batches li').length > 0"

    @Test func pageShowsTextsAsTheyAre() async throws {
        try await Self.with { browser, server in
            try browser.open(server.url, width: 1_200)
            try browser.wait(until: Self.isLive)
            #expect(try browser.text("document.getElementById('title').textContent") == "Fleet")
            #expect(try browser.text("[...document.querySelectorAll('#batches h3')][1].textContent") == StatusSample.markup)
            #expect(try browser.text("document.querySelector('#workers h3').textContent") == StatusSample.markup + "w")
            #expect(try browser.text("document.querySelector('#schedules h3').textContent") == StatusSample.markup)
            #expect(try browser.text("document.querySelectorAll('img').length") == "0")
            #expect(try browser.text("document.querySelectorAll('script').length") == "1")
            // The same elements show later states.
            let first = "document.querySelector('#batches .numbers').textContent"
            let before = try browser.text(first)
            try browser.call("Runtime.evaluate", ["expression": "document.querySelector('#batches li').mark = 1"])
            try browser.wait(until: "\(first) !== '\(before)'")
            #expect(try browser.text("document.querySelector('#batches li').mark") == "1")
        }
    }

    @Test func keyboardReachesABatchAndItsFailures() async throws {
        try await Self.with { browser, server in
            try browser.open(server.url, width: 1_200)
            try browser.wait(until: Self.isLive)
            try browser.press("Tab")
            #expect(try browser.text("document.activeElement.textContent") == "nightly")
            try browser.press("Enter")
            try browser.wait(until: "!document.getElementById('failures').hidden")
            #expect(try browser.text("document.activeElement.id") == "title")
            #expect(try browser.text("document.title").hasPrefix("nightly: "))
            #expect(try browser.text("document.querySelectorAll('#batches li').length") == "1")
            for selector in ["failures summary code", "origins h3", "waits code"] {
                let texts = "[...document.querySelectorAll('#\(selector)')].map(n => n.textContent)"
                #expect(try browser.text("\(texts).includes(\(Self.literal(StatusSample.markup)))") == "true")
            }
            while try browser.text("document.activeElement.tagName") != "SUMMARY" { try browser.press("Tab") }
            try browser.press("Enter")
            #expect(try browser.text("document.activeElement.parentNode.open") == "true")
            // The next states change neither the focus nor the open part.
            let time = try browser.text("document.querySelector('#batches .numbers').textContent")
            try browser.wait(until: "document.querySelector('#batches .numbers').textContent !== '\(time)'")
            #expect(try browser.text("document.activeElement.tagName") == "SUMMARY")
            #expect(try browser.text("document.activeElement.parentNode.open") == "true")
            try browser.call("Runtime.evaluate", ["expression": "history.back()"])
            try browser.wait(until: "document.querySelectorAll('#batches li').length === 2")
        }
    }

    private static func literal(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }

    @Test(arguments: Chromium.ColorScheme.allCases, [360, 1_200])
    func pageFitsAndHasContrast(scheme: Chromium.ColorScheme, width: Int) async throws {
        try await Self.with { browser, server in
            try browser.open(server.url + "#batch=nightly", width: width, scheme)
            try browser.wait(until: "!document.getElementById('waits').hidden")
            #expect(try browser.text("document.documentElement.scrollWidth <= \(width)") == "true")
            #expect(try browser.text(Self.poorContrast) == "")
            if let folder = ProcessInfo.processInfo.environment["BLUEBONNET_SCREENSHOTS"] {
                let path = "\(folder)/status-\(scheme.rawValue)-\(width).png"
                try browser.screenshot().write(to: URL(fileURLWithPath: path))
            }
        }
    }

    /// The texts with a contrast below 4.5 (WCAG 2.2, 1.4.3).
    private static let poorContrast = """
        (() => {
          const parts = c => c.match(/[\\d.]+/g).map(Number);
          const light = c => parts(c).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
          const back = node => {
            for (; node; node = node.parentElement) {
              const color = parts(getComputedStyle(node).backgroundColor);
              if (color.length < 4 || color[3] > 0) return getComputedStyle(node).backgroundColor;
            }
            return "rgb(255,255,255)";
          };
          const poor = [];
          for (const node of document.querySelectorAll("body *")) {
            if (![...node.childNodes].some(c => c.nodeType === 3 && c.textContent.trim())) continue;
            if (!node.checkVisibility()) continue;
            const [a, b] = [light(getComputedStyle(node).color), light(back(node))].sort((x, y) => y - x);
            if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(node.textContent.slice(0, 40));
          }
          return poor.join("; ");
        })()
        """

    @Test func screenReaderGetsNamesAndValues() async throws {
        try await Self.with { browser, server in
            try browser.open(server.url, width: 1_200)
            try browser.wait(until: Self.isLive)
            let nodes = try browser.call("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
            func value(_ node: [String: Any], _ member: String) -> String {
                (node[member] as? [String: Any]).map { "\($0["value"] ?? "")" } ?? ""
            }
            let bars = nodes.filter { value($0, "role") == "progressbar" }
            #expect(bars.map { value($0, "name") }.prefix(2) == ["Progress of nightly", "Progress of " + StatusSample.markup])
            #expect(value(try #require(bars.last), "name") == "Lines of silent")
            let headings = nodes.filter { value($0, "role") == "heading" }.map { value($0, "name") }
            #expect(headings.prefix(3) == ["Fleet", "Batches", "nightly"])
            let regions = nodes.filter { value($0, "role") == "region" }.map { value($0, "name") }
            #expect(regions == ["Batches", "Workers", "Schedules"])
        }
    }

    @Test func lostConnectionIsReported() async throws {
        try await Self.with { browser, server in
            try browser.open(server.url, width: 800)
            try browser.wait(until: Self.isLive)
            server.stop()
            try browser.wait(until: "document.getElementById('connection').textContent.includes('lost')")
            #expect(try browser.text("document.getElementById('connection').getAttribute('aria-live')") == "polite")
        }
    }
}
