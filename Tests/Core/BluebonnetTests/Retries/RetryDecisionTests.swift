// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct RetryDecisionTests {
    private static let date = Date(timeIntervalSince1970: 1_000_000_000)
    private static let safe = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
    private static let unsafe = ["POST", "PATCH", "CONNECT", "get", "PROPFIND"]

    private func response(_ status: Int, _ headers: HeaderFields = [:]) -> FailedAttempt.End {
        .response(status: status, headers: headers)
    }

    private func decide(
        _ method: String, _ end: FailedAttempt.End, number: Int = 1, random: Double = 1,
        policy: RetryPolicy = .standard, _ change: (inout FailedAttempt) -> Void = { _ in }
    ) -> RetryDecision {
        var failed = FailedAttempt(number: number, method: method, end: end)
        change(&failed)
        return policy.decision(on: failed, random: random, date: Self.date)
    }

    private func isRepeated(_ decision: RetryDecision) -> Bool { if case .wait = decision { true } else { false } }

    @Test(arguments: safe) func idempotentMethodIsRetriedAfterTransientFailures(method: String) {
        for status in [408, 425, 429, 500, 502, 503, 504] { #expect(isRepeated(decide(method, response(status)))) }
        for status in [200, 301, 400, 401, 404, 409, 413, 501, 505] {
            #expect(decide(method, response(status)) == .stop(.notTransient))
        }
    }

    @Test(arguments: unsafe) func unsafeMethodIsRetriedOnlyWithEvidence(method: String) {
        let lost = FailedAttempt.End.error(.connectionLost, nil)
        for end in [lost, response(503), response(500), .error(.timedOut, .idle)] {
            #expect(decide(method, end) == .stop(.unsafe(method: method)))
            #expect(isRepeated(decide(method, end) { $0.hasIdempotencyKey = true }))
            #expect(isRepeated(decide(method, end) { $0.evidence = .nothingSent }))
            #expect(isRepeated(decide(method, end) { $0.evidence = .refused }))
        }
        #expect(isRepeated(decide(method, response(429))))
    }

    /// Lists the codes of the library, so that a new code is considered.
    @Test func onlyTransientCodesAreRetried() {
        let passing: Set<NetworkingError.Code> = [
            .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed, .timedOut,
        ]
        let others: [NetworkingError.Code] = [
            .badURL, .invalidRequest, .unresolvedReference, .serverNotTrusted, .pinMismatch, .clientCertificateRejected,
            .authenticationRequired, .badServerResponse, .unacceptableContentType, .cannotDecodeBody,
            .cannotParseResponse, .digestMismatch, .tooManyRedirects, .redirectRefused, .bodyTooLarge, .headersTooLarge,
            .cannotOpenFile, .cannotWriteFile, .cannotReadFile, .resumeRefused, .notConnected, .notCached,
            .bodyStreamExhausted, .cancelled, .notStarted, .dependencyFailed, .invalidSecurityPolicy,
            .retryAfterTooLong,
        ]
        for code in passing { #expect(isRepeated(decide("GET", .error(code, nil))), "\(code.rawValue)") }
        for code in others {
            #expect(decide("GET", .error(code, nil)) == .stop(.notTransient), "\(code.rawValue)")
            #expect(decide("GET", .error(code, nil)) { $0.evidence = .nothingSent } == .stop(.notTransient))
        }
        #expect(decide("GET", .error(.timedOut, .total)) == .stop(.notTransient))
        #expect(isRepeated(decide("GET", .error(.timedOut, .connect))))
    }

    @Test func permanentProxyRefusalIsNotRetried() {
        let end = FailedAttempt.End.error(.cannotConnect, nil)
        #expect(decide("GET", end) { $0.isRefusedByProxy = true } == .stop(.notTransient))
        for status in [300, 400, 403, 405, 407, 501] {
            var error = NetworkingError(.cannotConnect, "refused")
            error.proxyStatusCode = status
            #expect(error.isRefusedByProxy && !error.isTransient)
        }
        for status in [408, 425, 429, 500, 502, 503, 504, nil] {
            var error = NetworkingError(.cannotConnect, "refused")
            error.proxyStatusCode = status
            #expect(!error.isRefusedByProxy && error.isTransient)
        }
    }

    @Test func truncatedBodyIsRetried() {
        let end = FailedAttempt.End.error(.badServerResponse, nil)
        #expect(isRepeated(decide("GET", end) { $0.isBodyCutShort = true }))
        #expect(decide("POST", end) { $0.isBodyCutShort = true } == .stop(.unsafe(method: "POST")))
    }

    @Test func attemptCountIsLimited() {
        #expect(isRepeated(decide("GET", response(503), number: 2)))
        #expect(decide("GET", response(503), number: 3) == .stop(.attemptsUsedUp))
    }

    @Test func unrepeatableBodyOrOutputStopsRetries() {
        #expect(decide("PUT", response(503)) { $0.canRepeatBody = false } == .stop(.bodyGone))
        #expect(decide("GET", response(503)) { $0.canRenewOutput = false } == .stop(.outputGone))
    }

    @Test func backoffDoublesUpToItsLimitAndIsRandom() {
        var policy = RetryPolicy.standard
        policy.maximumAttemptCount = 100
        let seconds = [1: 0.5, 2: 1, 3: 2, 4: 4, 5: 8, 6: 16, 7: 20, 70: 20]
        for (number, longest) in seconds {
            for random in [0, 0.25, 1] {
                let wait = UInt64(longest * random * 1e9)
                let decision = decide("GET", response(500), number: number, random: random, policy: policy)
                #expect(decision == .wait(nanoseconds: wait, .backoff), "\(number)")
            }
        }
    }

    @Test func serverDeterminesTheWait() {
        #expect(
            decide("GET", response(503, ["Retry-After": "7"])) == .wait(nanoseconds: 7_000_000_000, .retryAfter))
        #expect(
            decide("POST", response(429, ["RateLimit": "\"a\";r=0;t=2"]))
                == .wait(nanoseconds: 2_000_000_000, .rateLimit))
        #expect(decide("GET", response(503, ["Retry-After": "0"])) == .wait(nanoseconds: 500_000_000, .backoff))
        #expect(isRepeated(decide("GET", response(503, ["Retry-After": "300"]))))
        #expect(
            decide("GET", response(503, ["Retry-After": "301"]))
                == .stop(.retryAfterTooLong(until: Self.date.addingTimeInterval(301))))
    }

    @Test func longestDurationsDoNotTrap() {
        var policy = RetryPolicy.standard
        policy.maximumRetryAfter = .seconds(Int64.max)
        (policy.initialBackoff, policy.maximumBackoff, policy.maximumTime) = (
            .seconds(Int64.max), .seconds(Int64.max), nil
        )
        let most: UInt64 = 1_000_000_000_000_000_000
        let end = response(503, ["Retry-After": "99999999999"])
        #expect(decide("GET", end, policy: policy) == .wait(nanoseconds: most, .retryAfter))
        #expect(decide("GET", response(503), number: 2, policy: policy) == .wait(nanoseconds: most, .backoff))
        policy.initialBackoff = .seconds(-1)
        #expect(decide("GET", response(503), number: 2, policy: policy) == .wait(nanoseconds: 0, .backoff))
    }

    @Test func serverProvidedWaitNeedsNoBudget() {
        func needsBudget(_ end: FailedAttempt.End, _ reason: RetriedAttempt.WaitRule) -> Bool {
            FailedAttempt(number: 1, method: "GET", end: end).needsBudget(reason)
        }
        #expect(!needsBudget(response(429), .backoff) && !needsBudget(response(503), .retryAfter))
        #expect(!needsBudget(response(503), .rateLimit))
        #expect(needsBudget(response(503), .backoff) && needsBudget(.error(.connectionLost, nil), .block))
    }

    @Test func waitMustFitIntoRemainingTime() {
        let end = response(503, ["Retry-After": "10"])
        #expect(decide("GET", end) { $0.timeLeft = 10_000_000_000 } == .stop(.timeUsedUp))
        #expect(isRepeated(decide("GET", end) { $0.timeLeft = 10_000_000_001 }))
        var policy = RetryPolicy.standard
        policy.maximumTime = .seconds(15)
        #expect(isRepeated(decide("GET", end, policy: policy) { $0.elapsed = 5_000_000_000 }))
        #expect(decide("GET", end, policy: policy) { $0.elapsed = 5_000_000_001 } == .stop(.timeUsedUp))
        policy.maximumTime = nil
        #expect(isRepeated(decide("GET", end, policy: policy) { $0.elapsed = .max / 2 }))
    }

    @Test func retryBlockAnswerKeepsTheLimits() {
        func decide(_ change: (inout FailedAttempt) -> Void) -> RetryDecision {
            var failed = FailedAttempt(number: 1, method: "POST", end: response(409))
            change(&failed)
            let answer = RetryAnswer.retry(after: .seconds(2))
            return RetryPolicy.standard.decision(on: failed, after: answer, instead: .stop(.notTransient))
        }
        #expect(decide { _ in } == .wait(nanoseconds: 2_000_000_000, .block))
        #expect(decide { $0.number = 3 } == .stop(.attemptsUsedUp))
        #expect(decide { $0.canRepeatBody = false } == .stop(.bodyGone))
        #expect(decide { $0.timeLeft = 1 } == .stop(.timeUsedUp))
    }

    @Test func lateAnswerIsCheckedAgainstRemainingTime() {
        let policy = RetryPolicy.standard
        var failed = FailedAttempt(number: 1, method: "GET", end: response(503))
        let former = RetryDecision.wait(nanoseconds: 1_000, .backoff)
        #expect(policy.decision(on: failed, after: .performDefault, instead: former) == former)
        #expect(policy.decision(on: failed, after: .stop, instead: former) == .stop(.refusedByBlock))
        failed.timeLeft = 1_000
        #expect(policy.decision(on: failed, after: .performDefault, instead: former) == .stop(.timeUsedUp))
    }

    @Test func blockIsNotAskedAboutPermanentErrors() {
        func isForBlock(_ end: FailedAttempt.End) -> Bool {
            FailedAttempt(number: 1, method: "GET", end: end).isForBlock
        }
        #expect(isForBlock(response(404)) && isForBlock(.error(.connectionLost, nil)))
        for code in [NetworkingError.Code.pinMismatch, .serverNotTrusted, .invalidRequest, .cannotDecodeBody] {
            #expect(!isForBlock(.error(code, nil)))
        }
        #expect(!isForBlock(.error(.cannotWriteFile, nil)) && !isForBlock(.error(.timedOut, .total)))
    }
}
