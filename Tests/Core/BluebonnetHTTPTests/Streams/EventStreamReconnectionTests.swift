// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct EventStreamReconnectionTests {
    private typealias Decision = EventStreamReconnection.Decision

    private func decoder(_ stream: String) throws -> EventStreamDecoder {
        var decoder = EventStreamDecoder()
        decoder.append(stream.utf8)
        while try decoder.next() != nil {}
        return decoder
    }

    /// The waits after a number of failures in a row, in seconds.
    private func waits(_ reconnection: inout EventStreamReconnection, count: Int, random: Double = 0) -> [Duration?] {
        (1...count).map { _ in
            guard
                case .reconnect(let wait) = reconnection.decide(after: .failed(isTransient: true), nil, random: random)
            else { return nil }
            return wait
        }
    }

    @Test(
        arguments: [
            (200, "text/event-stream", nil), (200, "Text/Event-Stream;charset=UTF-8", nil),
            (200, "text/event-stream;", nil),
            (200, "text/event-stream;foo", nil), (204, nil, .noContent), (204, "text/event-stream", .noContent),
            (200, nil, .unacceptableType(nil)), (200, "text/plain; a=b", .unacceptableType("text/plain")),
            (200, "text/x-bogus", .unacceptableType("text/x-bogus")),
            (200, "text/event-streams", .unacceptableType("text/event-streams")),
            (201, "text/event-stream", .unacceptableStatus(201)), (205, nil, .unacceptableStatus(205)),
            (404, "text/event-stream", .unacceptableStatus(404)), (503, nil, .unacceptableStatus(503)),
        ] as [(Int, String?, EventStreamReconnection.StopReason?)])
    func headDecidesAboutTheStream(status: Int, type: String?, reason: EventStreamReconnection.StopReason?) {
        #expect(EventStreamReconnection.refusal(statusCode: status, contentType: type) == reason)
    }

    @Test func waitIsThreeSecondsWithoutRetry() {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        #expect(reconnection.decide(after: .ended, nil, random: 0) == .reconnect(after: .seconds(3)))
    }

    @Test func serverRetryReplacesTheWait() throws {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        let first = try decoder("retry: 500\n\ndata: a\n\n")
        #expect(reconnection.decide(after: .ended, first, random: 0) == .reconnect(after: .milliseconds(500)))
        let second = try decoder("data: b\n\n")
        #expect(reconnection.decide(after: .ended, second, random: 0) == .reconnect(after: .milliseconds(500)))
        let third = try decoder("retry: 0\ndata: b\n\n")
        #expect(reconnection.decide(after: .failed(isTransient: true), third, random: 1) == .reconnect(after: .zero))
    }

    @Test func waitsDoubleUntilAnEventArrives() throws {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        #expect(waits(&reconnection, count: 7) == [3, 6, 12, 24, 48, 60, 60].map { .seconds($0) })
        let decoder = try decoder("data: a\n\n")
        #expect(reconnection.decide(after: .ended, decoder, random: 0) == .reconnect(after: .seconds(3)))
        #expect(waits(&reconnection, count: 1) == [.seconds(6)])
    }

    @Test func streamsWithoutEventsCountAsAttempts() throws {
        var reconnection = EventStreamReconnection(policy: .attempts(2))
        let decoder = try decoder(": ping\n\n")
        #expect(reconnection.decide(after: .ended, decoder, random: 0) == .reconnect(after: .seconds(3)))
        #expect(reconnection.decide(after: .ended, decoder, random: 0) == .reconnect(after: .seconds(6)))
        #expect(reconnection.decide(after: .ended, decoder, random: 0) == .stop(.attemptsExhausted(2)))
    }

    @Test func retryOfZeroStillBacksOffAfterFailures() throws {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        let decoder = try decoder("retry: 0\ndata: a\n\n")
        #expect(reconnection.decide(after: .ended, decoder, random: 1) == .reconnect(after: .zero))
        #expect(waits(&reconnection, count: 3) == [2, 4, 8].map { .seconds($0) })
    }

    @Test func longRetryIsKeptUpToOneDay() throws {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        let hour = try decoder("retry: 3600000\ndata: a\n\n")
        #expect(reconnection.decide(after: .ended, hour, random: 0) == .reconnect(after: .seconds(3_600)))
        #expect(waits(&reconnection, count: 2) == [.seconds(3_600), .seconds(3_600)])
        let huge = try decoder("retry: 99999999999999999999\ndata: a\n\n")
        #expect(reconnection.decide(after: .ended, huge, random: 1) == .reconnect(after: .seconds(129_600)))
    }

    @Test func randomPartIsAtMostHalf() {
        for (random, milliseconds) in [(0, 3_000), (0.5, 3_750), (1, 4_500), (-1, 3_000), (7, 4_500)] {
            var reconnection = EventStreamReconnection(policy: .untilCancelled)
            #expect(waits(&reconnection, count: 1, random: random) == [.milliseconds(milliseconds)])
        }
    }

    @Test func policyLimitsAttempts() throws {
        var never = EventStreamReconnection(policy: .never)
        #expect(never.decide(after: .ended, nil, random: 0) == .stop(.ended))
        #expect(never.decide(after: .failed(isTransient: true), nil, random: 0) == .stop(.neverReconnects))
        var twice = EventStreamReconnection(policy: .attempts(2))
        #expect(waits(&twice, count: 3) == [.seconds(3), .seconds(6), nil])
        let decoder = try decoder("data: a\n\n")
        #expect(twice.decide(after: .failed(isTransient: true), decoder, random: 0) == .reconnect(after: .seconds(3)))
        #expect(waits(&twice, count: 2) == [.seconds(6), nil])
        #expect(twice.decide(after: .failed(isTransient: true), nil, random: 0) == .stop(.attemptsExhausted(2)))
    }

    @Test func permanentFailureStops() {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        #expect(reconnection.decide(after: .failed(isTransient: false), nil, random: 0) == .stop(.permanentFailure))
    }

    @Test func requestNamesTheLastEvent() throws {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        #expect(reconnection.requestFields == ["Accept": "text/event-stream", "Cache-Control": "no-store"])
        _ = reconnection.decide(after: .ended, try decoder("id: é 1\ndata: a\n\nid: 2\n"), random: 0)
        #expect(reconnection.requestFields["Last-Event-ID"] == "é 1")
        #expect(reconnection.makeDecoder().lastEventID == "é 1")
        _ = reconnection.decide(after: .failed(isTransient: true), nil, random: 0)
        #expect(reconnection.requestFields["Last-Event-ID"] == "é 1")
        _ = reconnection.decide(after: .ended, try decoder("id\n\n"), random: 0)
        #expect(reconnection.requestFields["Last-Event-ID"] == nil)
    }

    @Test func firstRequestMayNameAnEvent() {
        let reconnection = EventStreamReconnection(policy: .never, lastEventID: "9")
        #expect(reconnection.requestFields["Last-Event-ID"] == "9")
    }

    @Test func identifierThatNoFieldMayContainStops() throws {
        var reconnection = EventStreamReconnection(policy: .untilCancelled)
        let decoder = try decoder("id: a\u{1}b\ndata: a\n\n")
        #expect(reconnection.decide(after: .ended, decoder, random: 0) == .stop(.unsendableEventID))
    }

    @Test func extremePoliciesAreSafe() {
        var policy = EventStreamPolicy.untilCancelled
        policy.initialDelay = .seconds(-1)
        policy.maximumDelay = .seconds(Int64.max)
        var reconnection = EventStreamReconnection(policy: policy)
        let waits = waits(&reconnection, count: 100, random: 1).compactMap { $0 }
        #expect(waits.first == .zero)
        #expect(waits == waits.sorted())
        #expect(waits.count == 100)
    }
}
