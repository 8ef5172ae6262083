// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct RequestLineRetryTests {
    private func line(_ members: String) throws -> RequestLine {
        let text = #"{"url": "http://h/", \#(members)}"#
        return try #require(try RequestLineParser().parse(line: Data(text.utf8), number: 1)).line
    }

    private func message(_ members: String) -> String {
        do {
            _ = try line(members)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func retryIsANumberOrAnObject() throws {
        #expect(try line(#""retry": 4"#).retry == .init(attempts: 4))
        let full = try line(#""retry": {"attempts": 3, "maxTime": 60, "statuses": [429, 503]}"#)
        #expect(full.retry == .init(attempts: 3, maxTime: 60, statuses: [429, 503]))
        #expect(try line(#""retry": {}"#).retry == .init())
    }

    @Test(arguments: [
        (#""retry": 0"#, "retry"), (#""retry": "3""#, "expected an integer or an object"),
        (#""retry": 1.5"#, "integer"),
        (#""retry": {"attempt": 3}"#, "did you mean \"attempts\"?"), (#""retry": {"maxTime": 0}"#, "more than 0"),
        (#""retry": {"statuses": []}"#, "at least one"), (#""retry": {"statuses": [42]}"#, "100"),
        (#""idempotencyKey": false"#, "expected true or a string"), (#""idempotencyKey": 1"#, "true or a string"),
    ])
    func wrongValueIsRefusedWithItsField(members: String, words: String) {
        #expect(message(members).contains(words), "\(message(members))")
    }

    @Test func valuesAreWrittenAsTheyAreRead() throws {
        for members in [
            #""retry":4"#, #""retry":{"maxTime":1.5}"#, #""idempotencyKey":true"#, #""idempotencyKey":"a""#,
        ] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let text = String(decoding: try encoder.encode(try line(members)), as: UTF8.self)
            #expect(text.contains(members), "\(text)")
        }
    }

    @Test func lineOverridesTheBatchPolicy() {
        var batch = RetryPolicy.standard
        (batch.maximumAttemptCount, batch.maximumTime) = (7, .seconds(9))
        let rule = RequestLine.Retry(statuses: [418])
        #expect(rule.policy(over: batch).maximumAttemptCount == 7)
        #expect(rule.policy(over: batch).statusCodes == [418])
        #expect(RequestLine.Retry(attempts: 2).policy(over: batch).maximumTime == .seconds(9))
        #expect(RequestLine.Retry(attempts: 1).policy(over: batch).maximumAttemptCount == 1)
        #expect(RequestLine.Retry(maxTime: 5).policy(over: nil).maximumTime == .seconds(5))
        batch.maximumAttemptCount = 1  // as when the command limits only the time
        #expect(rule.policy(over: batch).maximumAttemptCount == 3)
    }

    @Test func planOfALineHasPolicyAndKey() throws {
        var line = try line(#""method": "POST", "retry": 2, "idempotencyKey": "k-1""#)
        var plan = RequestPlan(recipe: .init { _ in }, options: ResolvedOptions(TransferOptions()))
        try line.complete(&plan, baseURL: nil, options: TransferOptions())
        #expect(plan.options.retryPolicy?.maximumAttemptCount == 2)
        #expect(plan.idempotencyKey == "k-1")
        line.idempotencyKey = .automatic
        try line.complete(&plan, baseURL: nil, options: TransferOptions())
        #expect(UUID(uuidString: plan.idempotencyKey?.value ?? "") != nil)
    }

    @Test(arguments: ["", " ", "\t "]) func blankKeyIsRefused(key: String) throws {
        for var line in [RequestLine(method: "POST", url: "http://h/"), RequestLine(url: "http://h/")] {
            line.idempotencyKey = .value(key)
            var plan = RequestPlan(recipe: .init { _ in }, options: ResolvedOptions(TransferOptions()))
            try line.complete(&plan, baseURL: nil, options: TransferOptions())
            #expect(throws: NetworkingError.self) { try PreparedRequest(plan) }
            line.idempotencyKey = nil
            line.headers = ["idempotency-KEY": key]
            let error = #expect(throws: NetworkingError.self) {
                try line.complete(&plan, baseURL: nil, options: TransferOptions())
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("blank") == true)
        }
    }

    @Test func keyMayReferToAResponse() throws {
        var line = try line(#""idempotencyKey": "${login.body.id}""#)
        var places: [String] = []
        line.replaceStrings { text, place in
            places.append("\(place)")
            return text.hasPrefix("${") ? "42" : text
        }
        #expect(line.idempotencyKey == .value("42"))
        #expect(places.contains { $0.contains("idempotencyKey") })
    }

    @Test func resultListsEachRetry() {
        var result = ResultLine(id: "a", outcome: .success)
        result.attempts = 3
        result.retries = [
            .init(after: .unacceptableStatus, status: 503, waited: 0.41), .init(after: .connectionLost, waited: 1),
        ]
        let text = String(decoding: result.encodedLine(), as: UTF8.self)
        let expected =
            #""attempts":3,"retries":[{"after":"unacceptableStatus","status":503,"waited":0.41},"#
            + #"{"after":"connectionLost","waited":1.0}],"redirects":0"#
        #expect(text.contains(expected), "\(text)")
    }
}
