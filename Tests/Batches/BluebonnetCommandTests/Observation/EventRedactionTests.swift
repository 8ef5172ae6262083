// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

/// No output has a credential.
@Suite struct EventRedactionTests {
    private static let url = "https://user:s3cret@a.test/path?token=s3cret&api_key=s3cret&code=s3cret&page=2#s3cret"
    private static let fields: [(name: String, value: String)] = [
        ("Authorization", "Bearer s3cret"), ("Proxy-Authorization", "Basic s3cret"), ("Cookie", "a=s3cret"),
        ("Set-Cookie", "sid=s3cret; Path=/"), ("X-Api-Key", "s3cret"), ("X-Auth-Token", "s3cret"),
        ("Authentication-Info", "nextnonce=\"s3cret\""), ("Referer", url), ("X-Debug", "password=s3cret"),
        ("Location", url), ("Accept", "text/plain"),
    ]

    private static var script: EventScript {
        var script = EventScript()
        script.add(0, 1, .queued(nil))
        script.addHop(1, 1, url: url, headers: fields, status: 302, responseHeaders: fields)
        script.add(11, 1, .redirectDecided(status: 302, target: url))
        script.add(12, 1, .finished(EventScript.end()))
        return script
    }

    private static func outputs(_ line: ObservedLine? = nil) -> [String] {
        var (har, trace, log) = (HARExporter(), TraceExporter(), LogExporter())
        var verbose = VerboseText()
        let lines = line.map { [1: $0] } ?? [:]
        return [
            har.file(script.events, lines: lines), trace.file(script.events, lines: lines),
            log.file(script.events, lines: lines),
            script.events.map { verbose.receive($0, of: line) }.joined(),
        ]
    }

    @Test func credentialsAreInNoOutput() {
        for output in Self.outputs() {
            #expect(!output.contains("s3cret"))
            #expect(output.contains("REDACTED") && output.contains("page=2"))
        }
    }

    @Test func otherFieldsAreKept() {
        let redaction = EventRedaction(nil)
        #expect(redaction.value("text/plain; q=0.5", of: "Accept") == "text/plain; q=0.5")
        #expect(redaction.value("/new?page=2", of: "Location") == "/new?page=2")
        #expect(redaction.value("", of: "Cookie") == "")
    }

    @Test func valuesOfEnvironmentVariablesAreInNoOutput() throws {
        var line = RequestLine(url: "https://a.test/${env:FOLDER}?page=${env:NUMBER}")
        line.headers["Accept"] = "${env:KIND}"
        let environment = ["FOLDER": "path", "NUMBER": "2", "KIND": "text/plain", "OTHER": "Basic"]
        let hidden = HiddenVariables(ofWhole: line, and: ["X-A": "${env:OTHER}"], environment)
        let outputs = Self.outputs(ObservedLine(id: "line1", hidden: hidden))
        for output in outputs { #expect(!output.contains("a.test/path") && output.contains("a.test/${env:FOLDER}")) }
        #expect(!outputs[0].contains("text/plain") && outputs[0].contains("${env:KIND}"))
        // Short values could be guessed, and are kept.
        #expect(outputs[0].contains("page=2"))
    }
}
