// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLogging
import BluebonnetTestServer
import Foundation
import Testing

/// No line shows a secret, at any level.
@Suite(.timeLimit(.minutes(1))) struct LoggedSecretsTests {
    private let url = "https://ada:s3cr3t@api.example.com/v1/me?access_token=s3cr3t&sig=s3cr3t&q=tea#s3cr3t"

    private var maker: EventMaker {
        var maker = EventMaker(url: url)
        maker.headers = [
            ("Authorization", "Bearer s3cr3t"), ("Cookie", "session=s3cr3t"), ("Set-Cookie", "session=s3cr3t"),
            ("X-Api-Key", "s3cr3t"), ("Location", url), ("Referer", url), ("Accept", "text/plain"),
        ]
        return maker
    }

    @Test func linesShowNoSecrets() {
        let (logger, lines) = RecordingLogHandler.logger()
        let monitor = LoggingMonitor(logger: logger)
        monitor.receive(maker.success)
        monitor.receive(
            maker.events([
                maker.hopBegan, .hopEnded(.init(.failed(.timedOut))), .finished(.init(errorCode: .timedOut)),
            ]))
        #expect(lines.value.count > 20)
        for line in lines.value {
            #expect(!line.message.contains("s3cr3t"))
            for (key, value) in line.metadata { #expect(!"\(value)".contains("s3cr3t"), "\(line.message): \(key)") }
        }
    }

    @Test func otherPartsAreShown() throws {
        let (logger, lines) = RecordingLogHandler.logger()
        LoggingMonitor(logger: logger).receive(maker.success)
        let line = try #require(lines.value.first { $0.message == "Sending began" })
        #expect(
            line["url.full"]
                == "https://REDACTED@api.example.com/v1/me?access_token=REDACTED&sig=REDACTED&q=tea")
        let fields = try #require(lines.value.first { $0.message == "Request fields" }?["http.request.headers"])
        #expect(fields.contains("Accept: text/plain"))
        #expect(fields.contains("Authorization: REDACTED"))
    }
}
