// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetServing
import Foundation

/// The status page: one HTML file with its style and its script, without other files.
enum StatusPage {
    /// Returns the page with a policy that lets the browser run this script, use this style, and connect to this server
    /// only. The nonce is a new random number each time.
    static func response() -> ServedResponse {
        var generator = SystemRandomNumberGenerator()
        let nonce = Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
        return ServedResponse(
            contentType: "text/html; charset=utf-8", body: Array(text(nonce: nonce).utf8),
            fields: ["Content-Security-Policy": policy(nonce: nonce)])
    }

    /// The policy also forbids the script to make elements from text.
    static func policy(nonce: String) -> String {
        [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    static func text(nonce: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Bluebonnet status</title>
        <style nonce="\(nonce)">
        \(StatusPageStyle.text)
        </style>
        </head>
        <body>
        <header>
        <p id="back" hidden><a href="#">All batches</a></p>
        <h1 id="title" tabindex="-1">Status</h1>
        <p id="connection" role="status">Connecting …</p>
        </header>
        <main>
        <p id="summary"></p>
        <section id="batches" aria-labelledby="batches-title">
        <h2 id="batches-title">Batches</h2><ul class="cards"></ul><p class="note" hidden></p></section>
        <section id="failures" aria-labelledby="failures-title" hidden>
        <h2 id="failures-title">Failures</h2><ul class="rows"></ul><p class="note" hidden></p></section>
        <section id="origins" aria-labelledby="origins-title" hidden>
        <h2 id="origins-title">Origins</h2><ul class="cards"></ul><p class="note" hidden></p></section>
        <section id="waits" aria-labelledby="waits-title" hidden>
        <h2 id="waits-title">Lines that others wait for</h2><ul class="graph"></ul><p class="note" hidden></p></section>
        <section id="workers" aria-labelledby="workers-title">
        <h2 id="workers-title">Workers</h2><ul class="cards"></ul><p class="note" hidden></p></section>
        <section id="schedules" aria-labelledby="schedules-title" hidden>
        <h2 id="schedules-title">Schedules</h2><ul class="cards"></ul><p class="note" hidden></p></section>
        <noscript><p>The page needs JavaScript. The same data is in <a href="status.json">status.json</a>.</p></noscript>
        </main>
        <script nonce="\(nonce)">
        \(StatusPageScript.text)
        </script>
        </body>
        </html>

        """
    }
}
