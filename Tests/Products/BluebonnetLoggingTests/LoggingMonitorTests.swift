// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Logging
import Testing

@testable import BluebonnetLogging

@Suite(.timeLimit(.minutes(1))) struct LoggingMonitorTests {
    private let maker = EventMaker()
    private let until = Date(timeIntervalSince1970: 1_800_000_060)

    /// The lines for events.
    private func lines(_ events: [RequestEvent], includesConnections: Bool = true) -> [RecordingLogHandler.Line] {
        let (logger, lines) = RecordingLogHandler.logger()
        LoggingMonitor(logger: logger, includesConnections: includesConnections).receive(events)
        return lines.value
    }

    private func lines(_ kinds: RequestEvent.Kind...) -> [RecordingLogHandler.Line] { lines(maker.events(kinds)) }

    @Test func nothingAboveDebugForSuccess() {
        let lines = lines(maker.success)
        #expect(lines.filter { $0.level > .debug }.map(\.message) == [])
        let debug = lines.filter { $0.level == .debug }.map(\.message)
        #expect(
            debug == [
                "Request queued", "Request waits", "Request stopped waiting", "Request admitted", "Cache answered",
                "Sending began", "Response head received", "Request paused", "Request resumed", "Sending ended",
                "Redirect followed", "Challenge answered", "Request finished",
            ])
        let trace = lines.filter { $0.level == .trace }.map(\.message)
        #expect(
            trace == [
                "Request fields", "Name looked up", "Connected", "Connection acquired", "Request head sent",
                "Request body sent", "First byte received", "Response fields", "Body progressed",
                "Response body received",
            ])
    }

    @Test func retryIsNotice() {
        let facts = RequestEvent.RetryFacts(code: .timedOut, statusCode: nil)
        let lines = lines(
            maker.hopBegan, .hopEnded(.init(.failed(.timedOut))),
            .retryDecided(.retry(after: .milliseconds(1500), rule: .backoff, facts)),
            .waitBegan(.backoff(attempt: 2, until: until)), .waitEnded(.backoff))
        let loud = lines.filter { $0.level > .debug }
        #expect(loud.map(\.level) == [.notice])
        #expect(loud.first?.message == "Request is retried")
        #expect(loud.first?["bluebonnet.retry.delay"] == "1.5")
        #expect(loud.first?["error.type"] == "timedOut")
    }

    @Test func holdIsNotice() {
        let origin = "https://api.example.com:443"
        let lines = lines(
            .waitBegan(.hold(origin: origin, until: until, status: 429)), .waitEnded(.hold),
            .waitBegan(.breaker(origin: origin, until: until)), .waitEnded(.breaker))
        let loud = lines.filter { $0.level > .debug }
        #expect(loud.map(\.level) == [.notice, .notice])
        #expect(
            loud.map(\.message) == [
                "Request waits, because its server asked clients to wait", "Request waits for the circuit breaker",
            ])
        #expect(loud.map { $0["bluebonnet.wait.reason"] } == ["hold", "breaker"])
        #expect(loud.first?["bluebonnet.wait"]?.contains("answered 429") == true)
    }

    @Test func changesOfGovernorsAreNotices() {
        let changes: [RequestEvent.GovernorChange] = [
            .hold(until: until, status: 503), .rate(perSecond: 20), .breakerOpened(until: until), .breakerHalfOpened,
            .breakerClosed,
        ]
        let events = changes.map { RequestEvent(origin: "https://h:443", .governorChanged($0)) }
        #expect(lines(events).map(\.level) == [.notice, .notice, .notice, .debug, .debug])
        #expect(lines(events).allSatisfy { $0["bluebonnet.origin"] == "https://h:443" })
    }

    @Test func failureIsWarningWithRequest() throws {
        let facts = RequestEvent.RetryFacts(code: .unacceptableStatus, statusCode: 404)
        let lines = lines(
            .queued(nil), .admitted, maker.hopBegan, .hopEnded(.init(.complete, statusCode: 404)),
            .retryDecided(.stop(.notTransient, facts)),
            .finished(.init(errorCode: .unacceptableStatus, statusCode: 404)))
        let warning = try #require(lines.last)
        #expect(lines.filter { $0.level > .debug }.count == 1)
        #expect(warning.level == .warning)
        #expect(warning.message == "Request failed")
        #expect(warning["error.type"] == "unacceptableStatus")
        #expect(warning["http.response.status_code"] == "404")
        #expect(warning["http.request.method"] == "GET")
        #expect(warning["url.full"] == "https://api.example.com/v1/me")
        #expect(warning["bluebonnet.retry.stop"] == "notTransient")
    }

    @Test func cancellationIsNoFailure() {
        let line = lines(.finished(.init(errorCode: .cancelled))).last
        #expect(line?.level == .debug)
        #expect(line?.message == "Request cancelled")
    }

    @Test func messagesAreConstant() {
        var other = EventMaker(operation: 12, name: "orders", url: "http://other.test/x")
        other.headers = [("Accept", "text/plain")]
        let (first, second) = (lines(maker.success), lines(other.success))
        #expect(first.map(\.message) == second.map(\.message))
        #expect(first.map(\.message).allSatisfy { !$0.contains(where: \.isNumber) })
    }

    @Test func everyMessageHasTheRequestNumber() {
        let lines = lines(EventMaker(operation: 12, name: "orders").success)
        #expect(lines.count == 23)
        #expect(lines.allSatisfy { $0["bluebonnet.request.number"] == "12" })
        #expect(lines.allSatisfy { $0["bluebonnet.request.name"] == "orders" })
    }

    @Test func metadataOfTheLoggerIsKept() {
        var (logger, lines) = RecordingLogHandler.logger()
        logger[metadataKey: "order"] = "17"
        LoggingMonitor(logger: logger).receive(maker.success)
        #expect(lines.value.allSatisfy { $0["order"] == "17" })
    }

    @Test func levelOfTheLoggerIsRespected() {
        var (logger, lines) = RecordingLogHandler.logger()
        logger.logLevel = .notice
        LoggingMonitor(logger: logger).receive(maker.success)
        #expect(lines.value.isEmpty)
    }

    /// A monitor without `trace` does not ask for what it would not log, and logs the same.
    @Test(arguments: [Logger.Level.trace, .debug, .notice]) func monitorAsksForWhatItLogs(level: Logger.Level) {
        var (logger, lines) = RecordingLogHandler.logger()
        logger.logLevel = level
        let monitor = LoggingMonitor(logger: logger)
        let wanted = maker.success.filter { monitor.kinds.contains($0.kind.kinds) }
        #expect((wanted.count == maker.success.count) == (level == .trace))
        LoggingMonitor(logger: logger).receive(maker.success)
        let all = lines.value.map(\.message)
        lines.update { $0 = [] }
        monitor.receive(wanted)
        #expect(lines.value.map(\.message) == all)
        let quiet = LoggingMonitor(logger: logger, includesConnections: false)
        #expect(quiet.kinds.isDisjoint(with: [.connectionIdle, .governorChanged]))
    }

    @Test func connectionsMayBeLeftOut() {
        let connection = RequestEvent.ConnectionInformation(number: 1)
        let events = [
            RequestEvent(origin: "http://h:80", .connectionOpened(connection)),
            RequestEvent(origin: "http://h:80", .connectionIdle(connection)),
            RequestEvent(origin: "http://h:80", .connectionClosed(connection, .idle)),
            RequestEvent(.eventsDropped(5)),
        ]
        #expect(lines(events).map(\.level) == [.trace, .trace, .trace, .warning])
        let few = lines(events, includesConnections: false)
        #expect(few.map(\.level) == [.warning])
        #expect(few.first?["bluebonnet.dropped"] == "5")
    }

    @Test func finishedOperationsAreForgotten() {
        let monitor = LoggingMonitor(logger: RecordingLogHandler.logger().0)
        for number in 1...50 { monitor.receive(EventMaker(operation: number).success) }
        #expect(monitor.rememberedCount == 0)
    }

    @Test func silentOperationsAreForgottenAfterDrop() {
        let monitor = LoggingMonitor(logger: RecordingLogHandler.logger().0)
        for number in 1...50 { monitor.receive(EventMaker(operation: number).events([.admitted, maker.hopBegan])) }
        #expect(monitor.rememberedCount == 50)
        monitor.receive([RequestEvent(instant: 1_000_000_000, .eventsDropped(9))])
        monitor.receive([RequestEvent(operation: 99, instant: 700_000_000_000, .admitted)])
        #expect(monitor.rememberedCount == 1)
    }
}
