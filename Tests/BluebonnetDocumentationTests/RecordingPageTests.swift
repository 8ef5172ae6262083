// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RecordingPageTests {
    @Test func pageFileIsValidRecording() async throws {
        let page = try CodeBlock.sources(of: "Bluebonnet").appendingPathComponent(
            "Bluebonnet.docc/TestingYourProgram.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let begin = try #require(text.range(of: "```json\n"))
        let end = try #require(text[begin.upperBound...].range(of: "```"))
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("shop.json", String(text[begin.upperBound..<end.lowerBound]))
        let recording = try TrafficRecording(file: URL(fileURLWithPath: path))
        let manager = RequestOperationManager(
            baseURL: URL(string: "https://shop.example.com/"), recording: recording)
        let user: JSONValue = try await manager.get("users/1")
        #expect(user["name"]?.string == "Ada")
        try recording.expectAllPlayed()
    }
}
