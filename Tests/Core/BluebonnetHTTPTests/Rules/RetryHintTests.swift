// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct RetryHintTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    private func hint(_ headers: HeaderFields) -> RetryHint? { RetryHint(in: headers, now: Self.now) }

    @Test(arguments: [
        ("0", 0.0), ("120", 120), (" 7 ", 7), ("1.5", 1.5), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("99999999999999999999", 1e9), ("784111807", 784_111_807), ("1700000000", 915_888_223),
        ("1700000000000", 915_888_223), ("1000000000.5", 215_888_223.5),
    ])
    func retryAfterIsSecondsOrADate(text: String, seconds: Double) {
        #expect(hint(["Retry-After": text]) == RetryHint(source: .retryAfter, seconds: seconds))
    }

    @Test(arguments: [
        "", "soon", "-1", "inf", "nan", "1e999", "1e3", "0x10", "1.", ".5", "1.5.1", "Sun, 99 Nov 1994 08:50:37 GMT",
    ])
    func unreadableRetryAfterIsIgnored(text: String) {
        #expect(hint(["Retry-After": text]) == nil)
    }

    @Test(arguments: [
        ("1, 1", 1.0), ("5,5 , 5", 5), ("1s", 1), ("6m0s", 360), ("1h2m3.5s", 3723.5), ("250ms", 0.25),
        ("1994-11-06T08:50:37Z", 60), ("1994-11-06T09:50:37+01:00", 60), ("1994-11-06T08:50:37.500Z", 60.5),
    ])
    func unambiguousRetryAfterIsRead(text: String, seconds: Double) throws {
        let found = try #require(hint(["Retry-After": text]))
        #expect(found.source == .retryAfter && abs(found.seconds - seconds) < 0.001, "\(found)")
    }

    @Test(arguments: [
        "1, 2", "1, soon", "1,", "s", "1x", "1s1m", "1s1s", "1994-11-06T08:50:37", "1994-11-06", ".5s", "1 s",
    ])
    func ambiguousRetryAfterIsIgnored(text: String) {
        #expect(hint(["Retry-After": text]) == nil)
    }

    @Test(arguments: ["7", "Sun, 06 Nov 1994 08:49:44 GMT"]) func onlyEqualRetryAfterFieldsAreAccepted(text: String) {
        let twice = HeaderFields([("Retry-After", text), ("retry-after", text)])
        #expect(hint(twice) == RetryHint(source: .retryAfter, seconds: 7))
        #expect(hint(HeaderFields([("Retry-After", text), ("Retry-After", "8")])) == nil)
    }

    @Test func acceptedLimitOfNamedResourceIsIgnored() {
        var headers: HeaderFields = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "20"]
        #expect(RetryHint(ofAccepted: headers, now: Self.now)?.seconds == 20)
        headers["X-RateLimit-Resource"] = "search"
        #expect(RetryHint(ofAccepted: headers, now: Self.now) == nil)
        #expect(hint(headers)?.seconds == 20)
        headers["RateLimit"] = "\"a\";r=0;t=30"
        #expect(RetryHint(ofAccepted: headers, now: Self.now)?.seconds == 30)
    }

    @Test func retryAfterDateIsRelativeToServerDate() {
        let headers: HeaderFields = [
            "Date": "Sun, 06 Nov 1994 10:00:00 GMT", "Retry-After": "Sun, 06 Nov 1994 10:00:30 GMT",
        ]
        #expect(hint(headers)?.seconds == 30)
    }

    @Test(arguments: [
        ("\"default\";r=0;t=30", 30.0), ("\"a\";r=5;t=1, \"b\";r=0;t=9", 9), ("\"a\";r=0;t=3, \"b\";r=0;t=9", 9),
        ("limit=100, remaining=0, reset=50", 50), ("\"a,b;c\";r=0;t=4", 4), ("\"burst\"; r=0 ; t=2", 2),
    ])
    func exhaustedRateLimitIsHint(text: String, seconds: Double) {
        #expect(hint(["RateLimit": text]) == RetryHint(source: .rateLimit, seconds: seconds))
    }

    @Test(arguments: ["\"a\";r=5;t=1", "limit=100, remaining=3, reset=50", "\"a\";r=0", "", ";;,,=", "\"a"])
    func remainingRateLimitIsNotHint(text: String) {
        #expect(hint(["RateLimit": text]) == nil)
    }

    @Test func rateLimitInCachedResponseIsIgnored() {
        var headers: HeaderFields = ["Age": "5", "RateLimit": "\"a\";r=0;t=30", "X-RateLimit-Remaining": "0"]
        headers["X-RateLimit-Reset"] = "20"
        #expect(hint(headers) == nil && RetryHint(ofAccepted: headers, now: Self.now) == nil)
        headers["Retry-After"] = "7"
        #expect(hint(headers)?.seconds == 7)
    }

    @Test func policyWindowReplacesMissingResetTime() {
        let headers: HeaderFields = ["RateLimit": "\"a\";r=0", "RateLimit-Policy": "\"b\";q=1;w=5, \"a\";q=9;w=60"]
        #expect(hint(headers)?.seconds == 60)
    }

    @Test(arguments: [
        ("0", "20", 20.0), ("0", "1700000000", 915_888_223), ("0", "1700000000000", 915_888_223), ("1", "20", nil),
        ("0", "6m0s", 360), ("0", "1994-11-06T08:50:37Z", 60), ("0", "Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("0", "x", nil),
    ])
    func legacyResetIsDurationOrTime(remaining: String, reset: String, seconds: Double?) {
        #expect(hint(["X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": reset])?.seconds == seconds)
    }

    @Test(arguments: [
        ("RateLimit", "\"a\";r=0;t=30", 30.0), ("ratelimit", "limit=1, remaining=0, reset=5", 5),
        ("RateLimit", "\"a\";r=1;t=30", nil), ("Retry-After", "30", nil),
    ])
    func acceptedResponseReportsExhaustedLimit(name: String, value: String, seconds: Double?) {
        for headers in [HeaderFields([(name: name, value: value)]), .arrived([(name, value)])] {
            #expect(RetryHint(ofAccepted: headers, now: Self.now)?.seconds == seconds)
        }
    }

    @Test(arguments: ["X-RateLimit-", "RateLimit-", "x-ratelimit-"])
    func acceptedResponseMayUseLegacyFields(prefix: String) {
        let fields = [("Server", "s"), (prefix + "Remaining", "0"), (prefix + "Reset", "20")]
        #expect(RetryHint(ofAccepted: HeaderFields(fields), now: Self.now)?.seconds == 20)
        #expect(RetryHint(ofAccepted: .arrived(fields), now: Self.now)?.seconds == 20)
    }

    @Test func retryAfterTakesPrecedence() {
        let headers: HeaderFields = ["RateLimit": "\"a\";r=0;t=30", "Retry-After": "2"]
        #expect(hint(headers) == RetryHint(source: .retryAfter, seconds: 2))
    }

    @Test func responseWithoutRetryFieldsHasNoHint() { #expect(hint(["Date": "x", "A": "b"]) == nil) }
}

extension HeaderFields {
    /// Fields as received in a head.
    fileprivate static func arrived(_ fields: [(String, String)]) -> HeaderFields {
        HeaderFields(FieldBlock(fields.map { Field(name: $0.0, value: $0.1) }))
    }
}
