// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The evidence that a machine receives when it asks.
struct ScriptedEvidence: TransferFacts {
    var sentByteCount: Int64 = 0
    var receivedByteCount: Int64 = 0
    var lacksLastChunk = false
    var hasCloseNotice = false
    var http2End = HTTP2EndEvidence.frames
    var mayHaveLostConnection = false
}

/// A machine driven by a row of a table.
struct ScriptedMachine {
    var machine: TransferMachine
    var evidence = ScriptedEvidence()
    var now: UInt64 = 1_000

    init(
        _ method: String = "GET", isSecure: Bool = false, body: TransferBody = .none, expects: Bool = false,
        version: HTTPProtocolVersion = .negotiated, idleTimeout: UInt64 = 0, deadline: UInt64 = .max,
        lowSpeed: LowSpeedLimit? = nil
    ) throws {
        let url = try #require(URL(string: isSecure ? "https://host/" : "http://host/"))
        let headers = expects ? [HeaderFields.Field(name: "Expect", value: "100-continue")] : []
        let limits = TransferRequest.Limits(
            httpVersion: version, idleTimeout: idleTimeout, deadline: deadline, lowSpeed: lowSpeed)
        machine = TransferMachine(
            TransferRequest(
                url: url, origin: try #require(Origin(url)), method: method, headers: headers, body: body,
                limits: limits))
    }

    /// A body that is read ahead from a stream.
    static func stream(declared byteCount: Int64? = nil) -> TransferBody {
        .stream(BodyFeed(declaredByteCount: byteCount) { InputStream(data: Data()) })
    }

    /// Sends the request once more.
    @discardableResult mutating func send(
        multiplexed: Bool = false, isExplained: Bool = false, canStartAgain: Bool = true
    ) -> TransferMachine.Sending {
        machine.beginSending(
            multiplexed: multiplexed, isExplained: isExplained, bodyCanStartAgain: canStartAgain, now: now)
    }

    /// Passes the lines of a head one by one, as libcurl does. Returns the events of the lines that completed
    /// something.
    @discardableResult mutating func receive(_ head: String) throws -> [String] {
        var events: [String] = []
        for line in head.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let bytes = Array("\(line)\r\n".utf8)
            let event = try bytes.withUnsafeBytes { try machine.receive(line: $0, evidence) }
            switch event {
            case .line: break
            case .head(let head): events.append("\(head.statusCode)")
            case .headAndError(let head, let error): events.append("\(head.statusCode) \(error.code.rawValue)")
            case .refusedExpectation: events.append("refused")
            }
        }
        return events
    }

    /// Reads pieces of the body as libcurl does; nil means no bytes for now.
    mutating func read(_ counts: Int?...) {
        for count in counts { machine.bodyWasRead(count.map { .bytes($0) } ?? .wouldBlock, now: now) }
    }

    mutating func renewal(after result: LibraryResult, canStartAgain: Bool = true) -> TransferMachine.Renewal? {
        machine.renewal(after: result, bodyCanStartAgain: canStartAgain)
    }

    /// The end as text: the code of the library's error, or "error" if libcurl's error counts.
    func end(_ result: LibraryResult = .success) -> String {
        switch machine.end(result, evidence) {
        case .success: "success"
        case .failure(let error): error.code.rawValue
        case .error: "error"
        }
    }

    /// A word that identifies the limit that has passed.
    mutating func limit(at instant: UInt64, bodyDeadline: UInt64 = .max) -> String? {
        let error = machine.limitError(
            now: instant, bodyDeadline: bodyDeadline, sentByteCount: evidence.sentByteCount,
            receivedByteCount: evidence.receivedByteCount)
        guard let error else { return nil }
        let words = ["time limit": "deadline", "end in time": "body", "idle limit": "idle", "slower than": "speed"]
        return words.first { error.message.contains($0.key) }?.value ?? error.message
    }
}
