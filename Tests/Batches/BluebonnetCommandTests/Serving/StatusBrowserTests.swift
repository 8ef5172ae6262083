// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import RealServers
import Testing

@testable import BluebonnetCommand

/// Drives the page in a browser.
@Suite(.serialized, .enabled(if: Chromium.isAvailable), .timeLimit(.minutes(3))) struct StatusBrowserTests {
    private static func with(_ body: (Chromium, StatusServer) async throws -> Void) async throws {
        let server = try statusServer(CountingSource())
        defer { server.stop() }
        let browser = try await Chromium.start()
        do {
            try await body(browser, server)
            #expect(await browser.complaints == [])
        } catch {
            await browser.stop()
            throw error
        }
        await browser.stop()
    }

    private static let isLive = "document.querySelectorAll('#batches li').length > 0"

    @Test func pageShowsTextsAsTheyAre() async throws {
        try await Self.with { browser, server in
            try await browser.open(server.url, width: 1_200)
            try await browser.wait(until: Self.isLive)
            #expect(try await browser.text("document.getElementById('title').textContent") == "Fleet")
            #expect(
                try await browser.text("[...document.querySelectorAll('#batches h3')][1].textContent")
                    == StatusSample.markup)
            #expect(
                try await browser.text("document.querySelector('#workers h3').textContent") == StatusSample.markup + "w"
            )
            #expect(
                try await browser.text("document.querySelector('#schedules h3').textContent") == StatusSample.markup)
            #expect(try await browser.text("document.querySelectorAll('img').length") == "0")
            #expect(try await browser.text("document.querySelectorAll('script').length") == "1")
            // The same elements show later states.
            let first = "document.querySelector('#batches .numbers').textContent"
            let before = try await browser.text(first)
            _ = try await browser.text("document.querySelector('#batches li').mark = 1")
            try await browser.wait(until: "\(first) !== '\(before)'")
            #expect(try await browser.text("document.querySelector('#batches li').mark") == "1")
        }
    }

    @Test func schedulesShowTheirTicksAndProblems() async throws {
        try await Self.with { browser, server in
            try await browser.open(server.url, width: 1_200)
            try await browser.wait(until: Self.isLive)
            func texts(_ selector: String) async throws -> [String] {
                let cards = "[...document.querySelectorAll('#schedules .cards > li')]"
                let nodes = "\(cards).map(n => n.querySelector('\(selector)'))"
                let text = try await browser.text("JSON.stringify(\(nodes).map(n => n.hidden ? '' : n.textContent))")
                return try JSONDecoder().decode([String].self, from: Data(text.utf8))
            }
            #expect(try await texts(".tag") == ["active", "paused", "problem"])
            #expect(try await texts("p") == Array(repeating: "*/15 * * * * (Europe/Berlin)", count: 3))
            let next = try await texts(".numbers")
            #expect(next[0].hasPrefix("next in 1 min") && next[1] == "" && next[2].hasPrefix("due for 3 min"))
            let last = try await texts(".facts")
            #expect(last[0].hasPrefix("last 14 min ") && last[0].hasSuffix(" s ago: \(StatusSample.markup)b"))
            #expect(last[1] == "never yet" && last[2].hasPrefix("last 18 min "))
            #expect(last[2].hasSuffix(" s ago, skipped: the batch before it ran"))
            #expect(try await texts(".warn:not(.tag)") == ["", "", StatusSample.markup + "p"])
            #expect(try await texts(":scope > .facts a") == [StatusSample.markup + "b", "", ""])
            let note = try await browser.text("document.querySelector('#schedules .note').textContent")
            #expect(note == "The first of 4 schedules.")
            // The link to the last batch leads to its page.
            _ = try await browser.text("document.querySelector('#schedules a').click()")
            try await browser.wait(until: "document.getElementById('title').textContent.endsWith('b')")
            #expect(try await browser.text("document.getElementById('schedules').hidden") == "true")
        }
    }

    @Test func keyboardReachesABatchAndItsFailures() async throws {
        try await Self.with { browser, server in
            try await browser.open(server.url, width: 1_200)
            try await browser.wait(until: Self.isLive)
            try await browser.press("Tab")
            #expect(try await browser.text("document.activeElement.textContent") == "nightly")
            try await browser.press("Enter")
            try await browser.wait(until: "!document.getElementById('failures').hidden")
            #expect(try await browser.text("document.activeElement.id") == "title")
            #expect(try await browser.text("document.title").hasPrefix("nightly: "))
            #expect(try await browser.text("document.querySelectorAll('#batches li').length") == "1")
            for selector in ["failures summary code", "origins h3", "waits code"] {
                let texts = "[...document.querySelectorAll('#\(selector)')].map(n => n.textContent)"
                #expect(try await browser.text("\(texts).includes(\(Self.literal(StatusSample.markup)))") == "true")
            }
            while try await browser.text("document.activeElement.tagName") != "SUMMARY" {
                try await browser.press("Tab")
            }
            try await browser.press("Enter")
            #expect(try await browser.text("document.activeElement.parentNode.open") == "true")
            // The next states change neither the focus nor the open part.
            let time = try await browser.text("document.querySelector('#batches .numbers').textContent")
            try await browser.wait(until: "document.querySelector('#batches .numbers').textContent !== '\(time)'")
            #expect(try await browser.text("document.activeElement.tagName") == "SUMMARY")
            #expect(try await browser.text("document.activeElement.parentNode.open") == "true")
            _ = try await browser.text("history.back()")
            try await browser.wait(until: "document.querySelectorAll('#batches li').length === 2")
        }
    }

    private static func literal(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }

    @Test(arguments: Chromium.ColorScheme.allCases, [360, 1_200])
    func pageFitsAndHasContrast(scheme: Chromium.ColorScheme, width: Int) async throws {
        try await Self.with { browser, server in
            try await browser.open(server.url + "#batch=nightly", width: width, scheme)
            try await browser.wait(until: "!document.getElementById('waits').hidden")
            #expect(try await browser.text("document.documentElement.scrollWidth <= \(width)") == "true")
            let poor = try await browser.text(Self.poorContrast)
            #expect(poor == "")
            if let folder = ProcessInfo.processInfo.environment["BLUEBONNET_SCREENSHOTS"] {
                let path = "\(folder)/status-\(scheme.rawValue)-\(width).png"
                try await browser.screenshot().write(to: URL(fileURLWithPath: path))
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
            try await browser.open(server.url, width: 1_200)
            try await browser.wait(until: Self.isLive)
            let elements = try await browser.accessibleElements()
            func names(_ role: String) -> [String] { elements.filter { $0.role == role }.map(\.name) }
            #expect(
                Set(names("progressbar")) == [
                    "Progress of nightly", "Progress of " + StatusSample.markup, "Lines of \(StatusSample.markup)w",
                    "Lines of silent",
                ])
            #expect(Set(names("heading")).isSuperset(of: ["Fleet", "Batches", "nightly", "Workers", "Schedules"]))
            #expect(Set(names("region")) == ["Batches", "Workers", "Schedules"])
            let bar = "document.querySelector('#batches .bar')"
            #expect(try await browser.text("\(bar).getAttribute('aria-valuetext')").hasSuffix(" of 10,000 (40%)"))
            let levels = "[...document.querySelectorAll('h1,h2,h3')].map(n => n.tagName).join('')"
            #expect(try await browser.text(levels).hasPrefix("H1H2H3H3H2"))
        }
    }

    @Test func lostConnectionIsReported() async throws {
        try await Self.with { browser, server in
            try await browser.open(server.url, width: 800)
            try await browser.wait(until: Self.isLive)
            server.stop()
            try await browser.wait(until: "document.getElementById('connection').textContent.includes('lost')")
            #expect(
                try await browser.text("document.getElementById('connection').getAttribute('aria-live')") == "polite")
        }
    }
}
