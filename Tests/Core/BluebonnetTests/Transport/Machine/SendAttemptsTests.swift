// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Whether a request is sent twice (RFC 9110, 9.2.2; RFC 9113, 8.7).
@Suite struct SendAttemptsTests {
    private static let idempotent = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
    private static let others = ["POST", "PATCH", "CONNECT", "MERGE"]

    @Test(arguments: idempotent) func idempotentRequestIsSentAtMostTwice(method: String) throws {
        var script = try ScriptedMachine(method)
        #expect((0..<3).map { _ in script.send() } == [.first, .again, .refused])
        #expect(script.machine.failure?.code == .connectionLost)
        #expect(script.machine.failure?.message == "host closed the connection before it answered twice")
    }

    /// Not even if an HTTP/2 server may have refused the request: libcurl does not report a refusal reliably.
    @Test(arguments: others, [false, true]) func nonIdempotentRequestIsSentOnce(method: String, multiplexed: Bool)
        throws
    {
        var script = try ScriptedMachine(method, isSecure: multiplexed)
        #expect((0..<2).map { _ in script.send(multiplexed: multiplexed) } == [.first, .refused])
        #expect(script.machine.failure?.message.contains("\(method) is not sent a second time") == true)
    }

    /// libcurl tries five more times (RFC 9113, 8.7), and explains every other end.
    @Test func requestRefusedOverHTTP2IsSentSixTimes() throws {
        var script = try ScriptedMachine(isSecure: true)
        let sendings = (0..<7).map { _ in script.send(multiplexed: true) }
        #expect(sendings == [.first] + Array(repeating: .again, count: 5) + [.refused])
        var explained = try ScriptedMachine(isSecure: true)
        #expect(
            (0..<3).map { _ in explained.send(multiplexed: true, isExplained: true) } == [.first, .again, .refused])
    }

    /// The connection of the refusal counts, not the next connection.
    @Test func endOverHTTP1IsNoRefusal() throws {
        var script = try ScriptedMachine(isSecure: true)
        script.send(multiplexed: false)
        let sendings = [script.send(multiplexed: true), script.send(multiplexed: false)]
        #expect(sendings == [.again, .again])
        let last = script.send(multiplexed: true)
        #expect(last == .refused)
    }

    /// Only its owner can replay a streamed body. The owner is asked if the method permits a retry.
    @Test(arguments: [("PUT", true), ("POST", false)])
    func streamedBodyIsNotResentFromItsMiddle(method: String, asksOwner: Bool) throws {
        var script = try ScriptedMachine(method, body: ScriptedMachine.stream())
        #expect(script.send() == .first)
        let isPossible = script.machine.seekBody(to: 0, canStartAgain: false)
        #expect(!isPossible)
        #expect(script.machine.failure?.code == .connectionLost)
        #expect((script.machine.failure?.underlying is BodyNeededAgain) == asksOwner)
        var again = try ScriptedMachine("PUT", body: ScriptedMachine.stream())
        again.send()
        let sending = again.send(canStartAgain: false)
        #expect(sending == .refused)
        #expect(again.machine.failure?.underlying is BodyNeededAgain)
    }

    @Test func bodyContinuesAtTheOffsetLibcurlRequests() throws {
        var script = try ScriptedMachine("PUT", body: .data(Data(count: 100)))
        script.send()
        script.read(60, 40, 0)
        let isPossible = script.machine.seekBody(to: 25, canStartAgain: true)
        #expect(isPossible)
        #expect(script.machine.upload.readByteCount == 25)
    }

    @Test func resentRequestBeginsFromItsStart() throws {
        var script = try ScriptedMachine("PUT", body: .data(Data(count: 100)))
        script.send()
        script.read(100)
        #expect(script.machine.consumeUnreportedByteCount(ofSent: 80) == 80)
        try script.receive("HTTP/1.1 100 Continue\n\n")
        #expect(script.machine.response.hasBegun)
        #expect(script.send() == .again)
        #expect(script.machine.upload.readByteCount == 0)
        #expect(!script.machine.response.hasBegun)
        let told = [
            script.machine.consumeUnreportedByteCount(ofSent: 30),
            script.machine.consumeUnreportedByteCount(ofSent: 30),
        ]
        #expect(told == [30, 0])
    }

    /// After a pause, only the first sending can continue.
    @Test func pausedRequestIsNotSentAgain() throws {
        var script = try ScriptedMachine()
        script.machine.pause()
        #expect(script.send() == .first)
        #expect(script.send() == .refused)
        #expect(script.machine.failure?.code == .connectionLost)
        #expect(script.machine.attempts.count == 1)
    }

    // MARK: - A connection with unsolicited bytes

    @Test(arguments: idempotent + others) func uncleanConnectionIsAbandonedBeforeSending(method: String) throws {
        var script = try ScriptedMachine(method)
        let isTaken = script.machine.acceptFirstConnection(isKept: true, isUsable: false)
        #expect(!isTaken)
        // libcurl ends the transfer because its connection was rejected, which is no error.
        #expect(script.renewal(after: .otherError) == .newConnection)
        let isTakenNext = script.machine.acceptFirstConnection(isKept: false, isUsable: true)
        #expect(isTakenNext)
        #expect(script.send() == .first)
        #expect(script.renewal(after: .success) == nil)
    }

    @Test(arguments: [(true, true), (false, true), (false, false)])
    func cleanOrNewConnectionIsUsed(isKept: Bool, isClean: Bool) throws {
        var script = try ScriptedMachine("POST")
        let isTaken = script.machine.acceptFirstConnection(isKept: isKept, isUsable: isClean)
        #expect(isTaken)
        #expect(script.renewal(after: .otherError) == nil)
    }

    // MARK: - Lost HTTP/2 connections

    struct Row: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var isMultiplexed = true
        var isKept = true
        var sendings = 1
        var isPaused = false
        var head = ""
        var canStartAgain = true
        var result = LibraryResult.partial
        let isRenewed: Bool

        var testDescription: String {
            "\(method) \(result), multiplexed \(isMultiplexed), kept \(isKept), \(sendings), \(isPaused), \(head)"
        }
    }

    /// libcurl itself sends requests again on HTTP/1 only.
    @Test(arguments: [
        Row(isRenewed: true), Row(method: "POST", isRenewed: false), Row(isMultiplexed: false, isRenewed: false),
        Row(isKept: false, isRenewed: false), Row(sendings: 2, isRenewed: false), Row(isPaused: true, isRenewed: false),
        Row(head: "HTTP/2 103 Early Hints\n\n", isRenewed: false), Row(canStartAgain: false, isRenewed: false),
        Row(result: .wentAway, isRenewed: true), Row(isKept: false, result: .wentAway, isRenewed: true),
        Row(sendings: 5, result: .wentAway, isRenewed: true), Row(sendings: 6, result: .wentAway, isRenewed: false),
        Row(method: "POST", result: .wentAway, isRenewed: false),
        Row(head: "HTTP/2 200\n\n", result: .wentAway, isRenewed: false),
        Row(isMultiplexed: false, result: .wentAway, isRenewed: false),
        Row(result: .success, isRenewed: false), Row(result: .otherError, isRenewed: false),
        Row(result: .streamEndedEarly, isRenewed: false),
    ]) func requestIsRenewedAfterALostConnection(row: Row) throws {
        var script = try ScriptedMachine(row.method, isSecure: true)
        _ = script.machine.acceptFirstConnection(isKept: row.isKept, isUsable: true)
        for _ in 0..<row.sendings { script.send(multiplexed: row.isMultiplexed) }
        if row.isPaused { script.machine.pause() }
        try script.receive(row.head)
        let renewal = script.renewal(after: row.result, canStartAgain: row.canStartAgain)
        #expect(renewal == (row.isRenewed ? .anyConnection : nil))
        if !row.canStartAgain { #expect(script.machine.failure?.underlying is BodyNeededAgain) }
    }

    @Test func firstLibraryErrorEndsTheTransfer() throws {
        var script = try ScriptedMachine(isSecure: true)
        _ = script.machine.acceptFirstConnection(isKept: true, isUsable: true)
        script.send(multiplexed: true)
        script.machine.fail(NetworkingError(.cannotDecodeBody, "first"))
        script.machine.fail(NetworkingError(.timedOut, "second"))
        #expect(script.renewal(after: .partial) == nil)
        #expect(script.end(.partial) == "cannotDecodeBody")
        #expect(script.end(.success) == "cannotDecodeBody")
    }

    /// Without TLS, only a request that demands HTTP/2 from the start is known to use HTTP/2.
    @Test func versionIsKnownInAdvanceOnlyWithPriorKnowledge() throws {
        for version in [HTTPProtocolVersion.negotiated, .http1, .http2, .http2PriorKnowledge] {
            let isKnown = try ScriptedMachine(version: version).machine.attempts.isMultiplexed
            #expect(isKnown == (version == .http2PriorKnowledge))
            let isKnownOverTLS = try ScriptedMachine(isSecure: true, version: version).machine.attempts.isMultiplexed
            #expect(!isKnownOverTLS)
        }
    }

    /// If a head was sent in pieces, libcurl 7.88 sends a body of unknown length without its chunks.
    @Test func splitHeadIsAnErrorOverHTTP1() throws {
        var script = try ScriptedMachine("POST", isSecure: true, body: ScriptedMachine.stream())
        script.send(multiplexed: false)
        #expect(script.machine.headPieceWasSent(isEnd: false)?.code == .invalidRequest)
        #expect(script.machine.headPieceWasSent(isEnd: true) == nil)
        var multiplexed = try ScriptedMachine("POST", isSecure: true, body: ScriptedMachine.stream())
        multiplexed.send(multiplexed: true)
        #expect(multiplexed.machine.headPieceWasSent(isEnd: false) == nil)
    }
}
