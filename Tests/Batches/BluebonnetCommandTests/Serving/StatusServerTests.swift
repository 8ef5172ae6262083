// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(2))) struct StatusServerTests {
    @Test func hundredViewersCauseOneReadingASecond() async throws {
        let source = CountingSource()
        let server = try statusServer(source)
        defer { server.stop() }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<100 {
                let topic = ["", "?batch=nightly", "?batch=none"][index % 3]
                group.addTask { try await StreamClient.events(server.url + "events" + topic, count: 4).count }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 4, count: 100))
        let readings = source.readings
        #expect(readings.count >= 4)
        for (first, second) in zip(readings, readings.dropFirst()) { #expect(second - first >= StatusPoller.interval) }
    }

    @Test func nothingIsReadWithoutViewers() async throws {
        let source = CountingSource()
        let server = try statusServer(source)
        defer { server.stop() }
        #expect(source.readings.isEmpty)
        _ = try await StreamClient.events(server.url + "events", count: 1)
        let count = source.readings.count
        #expect(count >= 1)
        // The poller learns that the viewer has left within a turn; a reading may have begun before.
        try await Task.sleep(for: .seconds(2))
        let later = source.readings.count
        #expect(later <= count + 1)
        try await Task.sleep(for: .seconds(2))
        #expect(source.readings.count == later)
    }

    @Test func problemIsShown() async throws {
        let server = try statusServer(CountingSource(failure: "the store is gone"))
        defer { server.stop() }
        let events = try await StreamClient.events(server.url + "events", count: 1)
        #expect(events.first?.contains(#""problem":"the store is gone""#) == true)
    }

    @Test func statusJSONIsTheSameState() async throws {
        let server = try statusServer(CountingSource())
        defer { server.stop() }
        let text = try await StreamClient.text(server.url + "status.json?batch=nightly")
        #expect(text.contains(#""kind":"fleet""#) && text.contains(#""code":"unacceptableStatus (503)""#))
        #expect(text.hasSuffix("}\n"))
    }
}
