// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Refused expectations (RFC 9110, 10.1.1), responses before the body was sent, and pauses.
@Suite struct TransferMachineTests {
    private static let body = TransferBody.data(Data(count: 100_000))

    struct Refusal: Sendable, CustomTestStringConvertible {
        var expects = true
        var isDeclared = true
        var isEmpty = false
        var head = "HTTP/1.1 417 Expectation Failed\nContent-Length: 0\n\n"
        /// The pieces of the body that libcurl has read; nil means no bytes for now.
        var read: [Int?] = []
        /// The number of sent bytes, of 100,000.
        var sent: Int64 = 0
        let event: String

        var testDescription: String {
            "\(head.split(separator: "\n").joined(separator: "; ")), expects \(expects), declared \(isDeclared), "
                + "empty \(isEmpty), \(read), \(sent)"
        }

        fileprivate func script() throws -> ScriptedMachine {
            let stream = ScriptedMachine.stream(declared: isDeclared ? 100_000 : nil)
            var script = try ScriptedMachine("POST", body: isEmpty ? .none : stream, expects: expects)
            script.send()
            for count in read { script.read(count) }
            script.evidence.sentByteCount = sent
            return script
        }
    }

    /// A 417 is an ordinary response if there was no expectation, if everything was sent, or if libcurl treats it as
    /// one.
    @Test(arguments: [
        Refusal(event: "refused"), Refusal(isDeclared: false, event: "refused"), Refusal(read: [nil], event: "refused"),
        Refusal(expects: false, event: "417"), Refusal(isEmpty: true, event: "417"),
        Refusal(head: "HTTP/1.1 200 OK\n\n", event: "200"), Refusal(head: "HTTP/1.1 416 A\n\n", event: "416"),
        Refusal(head: "HTTP/2 417\n\n", event: "417"),
        Refusal(read: [10], event: "417 badServerResponse"),
        Refusal(read: [10], sent: 10, event: "417 badServerResponse"),
        Refusal(read: [100_000], sent: 99_999, event: "417 badServerResponse"),
        Refusal(read: [100_000], sent: 100_000, event: "417"),
        Refusal(isDeclared: false, read: [100_000], sent: 100_000, event: "417 badServerResponse"),
        Refusal(isDeclared: false, read: [100_000, nil], sent: 100_000, event: "417 badServerResponse"),
        Refusal(isDeclared: false, read: [100_000, 0], sent: 100_000, event: "417"),
        // The connection ends with the response, so libcurl delivers the response unchanged.
        Refusal(head: "HTTP/1.1 417 A\nConnection: close\nContent-Length: 0\n\n", read: [10], event: "417"),
        Refusal(head: "HTTP/1.0 417 A\nContent-Length: 0\n\n", read: [10], event: "417"),
        Refusal(head: "HTTP/1.1 417 A\n\n", read: [10], event: "417"),
        Refusal(head: "HTTP/1.1 417 A\nConnection: close\n\n", event: "refused"),
    ]) func refusedExpectationIsRecognized(row: Refusal) throws {
        var script = try row.script()
        #expect(try script.receive(row.head) == [row.event])
        #expect(script.renewal(after: .otherError) == (row.event == "refused" ? .withoutExpectation : nil))
    }

    @Test func interimResponseBeforeARefusalChangesNothing() throws {
        var script = try Refusal(event: "").script()
        let heads = "HTTP/1.1 103 Early Hints\n\nHTTP/1.1 417 Expectation Failed\nContent-Length: 0\n\n"
        #expect(try script.receive(heads) == ["refused"])
    }

    /// The server has not processed the request: any method may be sent again, and as often as any request.
    @Test(arguments: [("POST", 1), ("PUT", 2)])
    func requestIsResentWithoutItsExpectation(method: String, permitted: Int) throws {
        var script = try ScriptedMachine(method, body: Self.body, expects: true)
        script.send()
        try script.receive("HTTP/1.1 417 Expectation Failed\nContent-Length: 0\n\n")
        #expect(script.renewal(after: .otherError) == .withoutExpectation)
        #expect(!script.machine.response.hasBegun)
        let sendings = (0...permitted).map { _ in script.send() }
        #expect(sendings == [.first] + Array(repeating: .again, count: permitted - 1) + [.refused])
    }

    @Test func secondRefusalIsTheResponse() throws {
        let refusal = "HTTP/1.1 417 Expectation Failed\nContent-Length: 0\n\n"
        var script = try Refusal(event: "").script()
        try script.receive(refusal)
        #expect(script.renewal(after: .otherError) == .withoutExpectation)
        script.send()
        #expect(try script.receive(refusal) == ["417"])
        #expect(script.renewal(after: .success) == nil)
        #expect(script.end() == "success")
    }

    // MARK: - Responses before the body was sent

    /// libcurl keeps waiting for a body that has no bytes at the moment, although the connection ends with the
    /// response.
    @Test(
        arguments: [
            ("HTTP/1.1 413 A\nConnection: close\n\n", nil, true), ("HTTP/1.0 200 A\nContent-Length: 0\n\n", nil, true),
            ("HTTP/1.1 200 A\n\n", nil, true), ("HTTP/1.1 413 A\nContent-Length: 0\n\n", nil, false),
            ("HTTP/1.1 413 A\nConnection: close\n\n", 5, false), ("HTTP/1.1 413 A\nConnection: close\n\n", 0, false),
            ("HTTP/2 413\n\n", nil, false), ("HTTP/1.1 413 A\nConnection: close\n", nil, false), ("", nil, false),
        ] as [(String, Int?, Bool)])
    func stalledBodyIsUnwantedAfterTheLastResponse(head: String, read: Int?, isUnwanted: Bool) throws {
        var first = try ScriptedMachine("POST", body: ScriptedMachine.stream())
        first.send()
        first.read(read)
        try first.receive(head)
        #expect(first.machine.waitsForUnwantedBody == isUnwanted)
        var later = try ScriptedMachine("POST", body: ScriptedMachine.stream())
        later.send()
        try later.receive(head)
        later.read(7, read)
        #expect(later.machine.waitsForUnwantedBody == isUnwanted)
        later.read(7)
        #expect(!later.machine.waitsForUnwantedBody)
    }

    @Test func sentBytesAreReportedOnce() throws {
        var script = try ScriptedMachine("POST", body: Self.body)
        let told = [0, 10, 10, 4, 25].map { script.machine.consumeUnreportedByteCount(ofSent: $0) }
        #expect(told == [0, 10, 0, 0, 15])
    }

    // MARK: - Pauses

    /// When the transfer continues, libcurl delivers the header lines that it held back, one by one.
    @Test func headPausedInTransitIsReadAfterTheResume() throws {
        for count in 0...3 {
            let lines = ["HTTP/1.1 200 OK\n", "Content-Length: 5\n", "\n"]
            var script = try ScriptedMachine()
            script.send()
            #expect(try script.receive(lines[..<count].joined()) == (count == 3 ? ["200"] : []))
            script.machine.pause()
            #expect(script.machine.flow == .paused)
            #expect(script.machine.response.hasBegun == (count > 0))
            script.machine.resume(deadline: .max, now: script.now)
            #expect(script.machine.flow == .open)
            #expect(try script.receive(lines[count...].joined()) == (count == 3 ? [] : ["200"]))
            #expect(script.machine.response.head?.contentLength == 5)
        }
    }

    @Test func pausedTransferThatEndsBetweenHeaderLinesIsTruncated() throws {
        var script = try ScriptedMachine()
        script.send()
        try script.receive("HTTP/1.1 200 OK\n")
        script.machine.pause()
        #expect(script.end() == "badServerResponse")
    }

    @Test func flowFollowsTheDelegateUnlessPaused() throws {
        var script = try ScriptedMachine()
        script.send()
        for (intake, flow) in [
            (BodyIntake.taken, TransferMachine.Flow.open), (.wouldBlock, .backPressured), (.taken, .open),
        ] {
            script.machine.bodyWasGiven(intake, byteCount: 1)
            #expect(script.machine.flow == flow)
        }
        for intake in [BodyIntake.taken, .wouldBlock] {
            script.machine.pause()
            script.machine.bodyWasGiven(intake, byteCount: 1)
            #expect(script.machine.flow == .paused)
        }
    }

    @Test func trailersAreNoSecondHead() throws {
        var script = try ScriptedMachine()
        script.send()
        #expect(try script.receive("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n") == ["200"])
        #expect(try script.receive("X-Trailer: 1\n\n") == [])
        #expect(script.machine.response.head?.statusCode == 200)
    }

    @Test func malformedHeadIsABadServerResponse() throws {
        var script = try ScriptedMachine()
        script.send()
        let error = #expect(throws: NetworkingError.self) { try script.receive("garbage\n") }
        #expect(error?.code == .badServerResponse)
        #expect(script.machine.response.hasBegun)
    }
}
