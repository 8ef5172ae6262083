// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Whether a response is truncated although libcurl reports success, or complete although libcurl reports an error
/// (RFC 9112, 6.3 and 9.8; RFC 9113, 8.1).
@Suite struct ResponseProgressTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var head: String
        var isSecure = true
        var hasNotice = false
        /// The bytes of DATA frames that came, and the bytes of them that libcurl has delivered.
        var frames = (came: 0, given: 0)
        var endsStream = false
        var evidence = HTTP2EndEvidence.frames
        var isLost = false
        var result = LibraryResult.success
        let end: String

        var testDescription: String {
            "\(method) \(head.split(separator: "\n").joined(separator: "; ")), secure \(isSecure), notice \(hasNotice), "
                + "\(frames), end \(endsStream), \(evidence), lost \(isLost), \(result)"
        }
    }

    private static let one = "HTTP/1.1 200 OK\n"
    private static let two = "HTTP/2 200\n"
    private static let cut = "badServerResponse"

    private func expect(_ row: Row) throws {
        var script = try ScriptedMachine(row.method, isSecure: row.isSecure)
        script.send(multiplexed: row.head.hasPrefix("HTTP/2"))
        try script.receive(row.head)
        script.machine.frameArrived(dataByteCount: row.frames.came, endsStream: row.endsStream)
        script.machine.bodyWasGiven(.taken, byteCount: row.frames.given)
        script.evidence = ScriptedEvidence(
            receivedByteCount: Int64(row.frames.given), hasCloseNotice: row.hasNotice, http2End: row.evidence,
            mayHaveLostConnection: row.isLost)
        #expect(script.end(row.result) == row.end)
    }

    @Test(arguments: [
        Row(head: "", end: cut), Row(head: "HTTP/1.1 200 OK\nServer: a\n", end: cut),
        Row(head: "HTTP/1.1 100 Continue\n\n", end: cut), Row(head: "HTTP/1.1 103 Early Hints\n\n", end: cut),
        Row(head: one + "\n", isSecure: false, end: "success"),
    ]) func responseWithoutACompleteHeadIsTruncated(row: Row) throws { try expect(row) }

    /// A body without a length or chunks ends with its connection. Over TLS, only a close notice makes that a valid
    /// end.
    @Test(arguments: [
        Row(head: one + "\n", end: cut), Row(head: one + "\n", hasNotice: true, end: "success"),
        Row(head: "HTTP/1.0 200 OK\n\n", end: cut), Row(head: one + "Content-Length: 5\n\n", end: "success"),
        Row(head: one + "Transfer-Encoding: chunked\n\n", end: "success"),
        Row(method: "HEAD", head: one + "\n", end: "success"),
        Row(head: "HTTP/1.1 204 No Content\n\n", end: "success"),
        Row(head: "HTTP/1.1 304 Not Modified\n\n", end: "success"),
        Row(head: "HTTP/1.1 404 Not Found\n\n", end: cut),
    ]) func unframedBodyOverTLSNeedsACloseNotice(row: Row) throws { try expect(row) }

    @Test(arguments: [
        Row(head: two + "\n", frames: (5, 5), endsStream: true, end: "success"),
        Row(head: two + "\n", frames: (0, 0), endsStream: true, end: "success"),
        Row(head: two + "\n", frames: (5, 5), end: cut), Row(head: two + "\n", end: cut),
        Row(head: two + "\n", frames: (5, 3), endsStream: true, end: cut),
        Row(head: two + "Content-Length: 5\n\n", frames: (5, 5), end: "success"),
        Row(head: two + "Content-Length: 5\n\n", frames: (5, 5), endsStream: true, end: "success"),
        Row(head: two + "Content-Length: 5\n\n", frames: (5, 3), endsStream: true, end: cut),
        Row(method: "HEAD", head: two + "\n", end: "success"), Row(head: "HTTP/2 204\n\n", end: "success"),
        Row(head: "HTTP/2 304\n\n", end: "success"),
    ]) func unendedStreamIsTruncated(row: Row) throws { try expect(row) }

    /// From 8.1 on, libcurl reports the end correctly.
    @Test(arguments: [
        Row(head: two + "\n", frames: (5, 5), evidence: .libcurl, isLost: true, end: "success"),
        Row(head: two + "\n", frames: (5, 5), evidence: .libcurl, result: .otherError, end: "error"),
        Row(head: two + "\n", frames: (5, 5), evidence: .openConnection, end: "success"),
        Row(head: two + "\n", frames: (5, 5), evidence: .openConnection, isLost: true, end: cut),
        Row(
            head: two + "Content-Length: 5\n\n", frames: (5, 5), evidence: .openConnection, isLost: true, end: "success"
        ),
        Row(method: "HEAD", head: two + "\n", evidence: .openConnection, isLost: true, end: "success"),
        Row(head: "HTTP/2 204\n\n", evidence: .openConnection, isLost: true, end: "success"),
    ]) func lostConnectionIsEvidenceWithoutFrames(row: Row) throws { try expect(row) }

    @Test(arguments: [
        Row(head: two + "\n", frames: (5, 5), endsStream: true, result: .otherError, end: "success"),
        Row(head: two + "\n", frames: (5, 5), endsStream: true, result: .wentAway, end: "success"),
        Row(head: two + "\n", frames: (5, 4), endsStream: true, result: .otherError, end: "error"),
        Row(head: two + "\n", frames: (5, 5), result: .otherError, end: "error"),
        // The server has not ended the stream, so libcurl's result counts.
        Row(head: two + "Content-Length: 5\n\n", frames: (5, 5), result: .otherError, end: "error"),
        Row(head: "", endsStream: true, result: .otherError, end: "error"),
        Row(head: one + "Content-Length: 5\n\n", result: .otherError, end: "error"),
        Row(head: one + "\n", hasNotice: true, result: .partial, end: "error"),
    ]) func errorAfterACompleteResponseIsIgnored(row: Row) throws { try expect(row) }

    // MARK: - A stream that ends before the request's body was sent (NO_ERROR)

    @Test(arguments: [
        ("", 0, "success"), ("Content-Length: 5\n", 5, "success"), ("Content-Length: 5\n", 4, "error"),
    ]) func earlyStreamEndCompletesTheResponseWithoutFrames(field: String, given: Int, end: String) throws {
        for (sent, result) in [(99, LibraryResult.streamEndedEarly), (100, .streamEndedEarly), (99, .otherError)] {
            var script = try ScriptedMachine("POST", isSecure: true, body: .data(Data(count: 100)))
            script.send(multiplexed: true)
            try script.receive(Self.two + field + "\n")
            script.evidence = ScriptedEvidence(
                sentByteCount: Int64(sent), receivedByteCount: Int64(given), http2End: .openConnection)
            #expect(script.end(result) == (sent < 100 && result == .streamEndedEarly ? end : "error"))
        }
    }

    /// libcurl may not have delivered all bytes that came.
    @Test(arguments: [false, true]) func errorCountsWhileBytesAreUndelivered(isPaused: Bool) throws {
        var script = try ScriptedMachine(isSecure: true)
        script.send(multiplexed: true)
        try script.receive(Self.two + "\n")
        script.machine.frameArrived(dataByteCount: 5, endsStream: true)
        if isPaused {
            script.machine.bodyWasGiven(.taken, byteCount: 5)
            script.machine.pause()
        } else {
            script.machine.bodyWasGiven(.wouldBlock, byteCount: 5)
        }
        #expect(script.end(.otherError) == "error")
        script.machine.resumeReceiving(now: 0)
        if !isPaused { script.machine.bodyWasGiven(.taken, byteCount: 5) }
        #expect(script.end(.otherError) == "success")
    }

    @Test func framesOfAnEarlierAttemptDoNotCount() throws {
        var script = try ScriptedMachine(isSecure: true)
        script.send(multiplexed: true)
        script.machine.frameArrived(dataByteCount: 0, endsStream: true)
        script.send(multiplexed: true)
        try script.receive(Self.two + "\n")
        #expect(script.end() == Self.cut)
    }

    @Test func errorMessagesDescribeTheServersFault() throws {
        func message(_ script: ScriptedMachine) -> String {
            guard case .failure(let error) = script.machine.end(.success, script.evidence) else { return "" }
            return error.message
        }
        var script = try ScriptedMachine(isSecure: true)
        script.send(multiplexed: true)
        #expect(message(script).contains("within its response's header section"))
        try script.receive(Self.two + "\n")
        #expect(message(script).contains("did not end the HTTP/2 stream"))
        script.machine.frameArrived(dataByteCount: 5, endsStream: true)
        #expect(message(script).contains("0 of 5 body bytes"))
        script.evidence.http2End = .openConnection
        script.evidence.mayHaveLostConnection = true
        #expect(message(script).contains("at the end of the response"))
        var plain = try ScriptedMachine(isSecure: true)
        plain.send()
        try plain.receive(Self.one + "\n")
        #expect(message(plain).contains("without close_notify"))
    }
}
