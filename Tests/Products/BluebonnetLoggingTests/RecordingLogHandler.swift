// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Logging

/// Stores the messages of a logger, at all levels.
struct RecordingLogHandler: LogHandler {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: Logger.Metadata

        subscript(_ key: String) -> String? { metadata[key]?.description }
    }

    let lines: Observed<[Line]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        lines.append(Line(level: event.level, message: event.message.description, metadata: all))
    }

    /// Makes a logger, and the list of its messages.
    static func logger() -> (Logger, Observed<[Line]>) {
        let lines = Observed([Line]())
        return (Logger(label: "test") { _ in RecordingLogHandler(lines: lines) }, lines)
    }
}

/// Makes events of one operation, as the library reports them.
struct EventMaker {
    var operation = 7
    var name: String?
    var url = "https://api.example.com/v1/me"
    var headers: [(name: String, value: String)] = []

    func events(_ kinds: [RequestEvent.Kind]) -> [RequestEvent] {
        kinds.enumerated().map { index, kind in
            RequestEvent(
                operation: operation, name: name, attempt: 1, hop: 1, origin: "https://api.example.com:443",
                instant: UInt64(index + 1) * 1_000_000, date: Date(timeIntervalSince1970: 1_800_000_000), kind)
        }
    }

    var hopBegan: RequestEvent.Kind { .hopBegan(.init(method: "GET", url: url, headers: headers)) }
    var responseHead: RequestEvent.Kind { .responseHead(.init(statusCode: 200, headers: headers)) }

    /// Everything that happens to an operation that succeeds at once.
    var success: [RequestEvent] {
        let connection = RequestEvent.ConnectionInformation(number: 3, peerAddress: "192.0.2.1", peerPort: 443)
        return events([
            .queued(.slot(limit: 64)), .waitBegan(.slot(limit: 64)), .waitEnded(.slot), .admitted,
            .cacheAnswered(.miss), hopBegan, .nameLookedUp(.milliseconds(1)), .connected(.milliseconds(1)),
            .connectionAcquired(.init(connection, isReused: false)), .requestHeadSent, .requestBodySent(byteCount: 4),
            .firstByte(.milliseconds(3)), responseHead, .bodyProgress(.init(.received, byteCount: 5)), .paused,
            .resumed, .responseBodyReceived(byteCount: 5, decodedByteCount: 5),
            .hopEnded(.init(.complete, statusCode: 200, receivedByteCount: 5)),
            .redirectDecided(status: 302, target: url), .challengeAnswered(status: 401),
            .finished(.init(statusCode: 200, receivedByteCount: 5)),
        ])
    }
}
