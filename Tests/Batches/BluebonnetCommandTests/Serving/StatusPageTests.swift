// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetServing
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct StatusPageTests {
    @Test func pageIsSmallAndWhole() {
        let page = StatusPage.text(nonce: "abc")
        #expect(page.utf8.count < 40 << 10)
        #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.hasSuffix("</html>\n"))
        // The page needs no other file, from here or from elsewhere.
        for text in ["http://", "https://", "//", "src=", "@import", "url(", "<link"] where text != "//" {
            #expect(!page.contains(text), "\(text)")
        }
    }

    @Test func policyLetsOnlyThisScriptRun() throws {
        let response = StatusPage.response()
        let policy = try #require(response.fields["Content-Security-Policy"])
        let directives = policy.components(separatedBy: "; ")
        #expect(directives.contains("default-src 'none'") && directives.contains("connect-src 'self'"))
        #expect(directives.contains("frame-ancestors 'none'") && directives.contains("base-uri 'none'"))
        #expect(directives.contains("require-trusted-types-for 'script'"))
        for text in ["unsafe-inline", "unsafe-eval", "unsafe-hashes", "*", "http:", "https:", "data:"] {
            #expect(!policy.contains(text), "\(text)")
        }
        let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([A-Za-z0-9+\/=]{24})'/)?.output.1)
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.components(separatedBy: "nonce=\"\(nonce)\"").count == 3)
        #expect(page.components(separatedBy: "<script").count == 2 && page.components(separatedBy: "<style").count == 2)
        // Handlers and styles in attributes would need an exception of the policy.
        #expect(page.firstMatch(of: /<[^>]* (?:on[a-z]+|style)=/) == nil)
    }

    @Test func nonceIsNewEachTime() {
        let policies = (0..<50).compactMap { _ in StatusPage.response().fields["Content-Security-Policy"] }
        #expect(Set(policies).count == 50)
    }

    @Test(arguments: [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "setAttribute(\"on",
        "createContextualFragment", "DOMParser", "srcdoc", "setAttribute(\"style",
    ]) func scriptNeverInterpretsTexts(word: String) {
        #expect(!StatusPageScript.text.contains(word))
    }
}

@Suite struct StatusDocumentTests {
    private static func object(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func allBatchesAreShownWithoutDetails() throws {
        let object = try Self.object(StatusSample.document().json(of: "", at: Date()))
        #expect(object["kind"] as? String == "fleet" && object["batch"] == nil)
        let batches = try #require(object["batches"] as? [[String: Any]])
        #expect(batches.map { $0["name"] as? String } == ["nightly", StatusSample.markup])
        #expect(batches[0]["ended"] as? Int == 4_041 && batches[0]["failure"] as? Int == 30)
        #expect(batches[0]["rate"] as? Double == 62.5)
        #expect(batches[0]["secondsLeft"] as? Double == 95.344)
        #expect(batches[1]["rate"] is NSNull && batches[1]["secondsLeft"] is NSNull)
        let schedules = try #require(object["schedules"] as? [[String: Any]])
        #expect(schedules.map { $0["every"] as? String } == Array(repeating: "*/15 * * * *", count: 3))
        #expect(schedules.map { $0["isPaused"] as? Bool } == [false, true, false])
        #expect(schedules[0]["lastBatch"] as? String == StatusSample.markup + "b" && schedules[1]["next"] is NSNull)
        #expect(object["scheduleCount"] as? Int == 4)
    }

    @Test func oneBatchIsShownWithDetails() throws {
        let object = try Self.object(StatusSample.document().json(of: "nightly", at: Date()))
        #expect((object["batches"] as? [Any])?.count == 1)
        let batch = try #require(object["batch"] as? [String: Any])
        let failures = try #require(batch["failures"] as? [[String: Any]])
        #expect(failures.map { $0["count"] as? Int } == [29, 1])
        #expect((batch["origins"] as? [[String: Any]])?.first?["paused"] as? Double == 12.5)
        #expect((batch["waits"] as? [[String: Any]])?.first?["count"] as? Int == 40)
    }

    @Test func documentIsOneLine() {
        for topic in ["", "nightly"] {
            let text = StatusSample.document().json(of: topic, at: Date())
            #expect(!text.contains(0x0A) && !text.contains(0x0D))
        }
        let problem = StatusDocument.json(problem: "a\nb\r", at: Date())
        #expect(!problem.contains(0x0A) && !problem.contains(0x0D))
    }

    @Test func documentWithoutSchedulesHasNoMember() throws {
        var document = StatusSample.document()
        document.schedules = nil
        let object = try Self.object(document.json(of: "", at: Date()))
        #expect(object["schedules"] == nil && object["scheduleCount"] == nil)
    }

    @Test(arguments: [
        ("open", 10.0, false, 60.0), ("paused", 10, false, nil), ("open", 0, false, nil), ("open", 10, true, nil),
    ])
    func timeLeftFollowsTheRate(state: String, rate: Double, isGrowing: Bool, seconds: Double?) {
        let batch = StatusDocument.ShownBatch(
            name: "n", state: state, lineCount: 1_000, isGrowing: isGrowing, counts: [.success: 400], claimedCount: 0,
            byteCount: 0, created: Date(), rate: rate)
        #expect(batch.secondsLeft == seconds)
    }
}
