// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

/// Refused options, and the text that the message must contain.
struct RefusedOptions: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let message: String
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ arguments: String..., says message: String) { (self.arguments, self.message) = (arguments, message) }

    static let all = [
        RefusedOptions("--concurrency", "0", says: "1 or more"),
        RefusedOptions("--concurrency", "-3", says: "1 or more"),
        RefusedOptions("--per-origin", "1.5", says: "1 or more"),
        RefusedOptions("--timeout", "0", says: "more than 0"),
        RefusedOptions("--timeout", "-1", says: "more than 0"),
        RefusedOptions("--connect-timeout", "inf", says: "more than 0"),
        RefusedOptions("--idle-timeout", "nan", says: "more than 0"),
        RefusedOptions("--idle-timeout", "soon", says: "more than 0"),
        RefusedOptions("--timeout", "1e300", says: "at most 1000000000"),
        RefusedOptions("--max-body", "-1", says: "0 or more"),
        RefusedOptions("--max-body", "99999999999999999999", says: "0 or more"),
        RefusedOptions("--limit-rate", "0", says: "1 or more"),
        RefusedOptions("--limit-rate", "-1", says: "1 or more"),
        RefusedOptions("--limit-rate", "k", says: "1 or more"),
        RefusedOptions("--limit-rate", "1.5M", says: "1 or more"),
        RefusedOptions("--limit-rate", "10kB", says: "1 or more"),
        RefusedOptions("--limit-rate", "9223372036854775807k", says: "at most 1048576G"),
        RefusedOptions("--limit-rate", "1048577G", says: "at most 1048576G"),
        RefusedOptions("--concurrency", "9223372036854775807", says: "at most 1000000"),
        RefusedOptions("--per-origin", "9223372036854775807", says: "at most 1000000"),
        RefusedOptions("--retries", "9223372036854775807", says: "at most 1000000"),
        RefusedOptions("--max-items", "0", says: "1 or more"),
        RefusedOptions("--max-items", "1000001", says: "at most 1000000"),
        RefusedOptions("--max-body", "9223372036854775807", says: "at most 1125899906842624"),
        RefusedOptions("--rate", "9223372036854775807/s", says: "at most 1000000000"),
        RefusedOptions("--origin-rate", "1000000001/h", says: "at most 1000000000"),
        RefusedOptions("--drain-timeout", "1e10", says: "at most 1000000000"),
        RefusedOptions("--drain-timeout", "-1", says: "0 or more"),
        RefusedOptions("--retry-max-time", "1e10", says: "at most 1000000000"),
        RefusedOptions("--header", "Idempotency-Key: ", says: "the idempotency key is blank"),
        RefusedOptions("--rate", "10", says: "followed by /s, /m or /h"),
        RefusedOptions("--rate", "0/s", says: "1 or more"),
        RefusedOptions("--rate", "1.5/s", says: "1 or more"),
        RefusedOptions("--origin-rate", "10/d", says: "followed by /s, /m or /h"),
        RefusedOptions("--origin-rate", "-1/s", says: "1 or more"),
        RefusedOptions("--origin-rate", "1/s/s", says: "1 or more"),
        RefusedOptions("--body", "binary", says: "none, text, base64"),
        RefusedOptions("--progress", "often", says: "auto, always, never"),
        RefusedOptions("--base-url", "items", says: "http:// or https://"),
        RefusedOptions("--base-url", "ftp://example.com/", says: "http:// or https://"),
        RefusedOptions("--base-url", "http:/user:s3cret@h/", says: "but is \"http:/REDACTED@h/\""),
        RefusedOptions("--base-url", "ftp://user:s3cret@h/", says: "but is \"ftp://h/\""),
        RefusedOptions("--ca", "/no/such/file", says: "the path of a readable file"),
        RefusedOptions("--ca", "/", says: "the path of a readable file"),
        RefusedOptions("--concurrency", says: "Missing value"),
        RefusedOptions("--header", "X-Client", says: "has no colon: write Name: value"),
        RefusedOptions("--header", "X Client: demo", says: "is not a valid token"),
        RefusedOptions("--header", ": demo", says: "is not a valid token"),
        RefusedOptions("--header", "X-Client: a\nb", says: "the value of header X-Client contains"),
        RefusedOptions("--header", "content-length: 3", says: "depends on the body of each request"),
        RefusedOptions("--header", "X-A: ${me.body.id}", says: "refers to a response, allowed only in a line"),
        RefusedOptions("--header", "X-A: ${env:}", says: "expected the name of an environment variable"),
        RefusedOptions("--header", "X-A: ${env:A", says: "without \"}\""),
    ]
}

@Suite struct RunOptionsTests {
    @Test(arguments: [
        ["--header", "Authorization s3cret"], ["--header", "Authorization Bearer s3cret:x"],
        ["--header", "Authorization: s3cret\n"], ["--header", "Content-Length: s3cret"],
        ["--header", "X: ${s3cret}"], ["--header", "X: a${s3cret"], ["--header", "X: ${s3cret.no}"],
        ["--header", "X: ${.s3cret}"], ["--header", "X: ${a.headers.s3cret.}"],
        ["--base-url", "http//me:s3cret@h/"], ["--base-url", "me:s3cret@h/"],
    ])
    func refusalShowsNoSecret(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try RunOptions.parse(arguments) }
        let message = error.map { RunOptions.fullMessage(for: $0) } ?? ""
        #expect(message.contains(arguments[0]))
        #expect(!message.contains("s3cret"), "\(message)")
    }

    @Test func defaultsMatchTheFormat() throws {
        let options = try RunOptions.parse([])
        let settings = try options.settings
        #expect(options.file == nil)
        #expect(options.output.results == nil)
        #expect(options.output.progress == .auto)
        #expect(settings.baseURL == nil)
        #expect(settings.headers.isEmpty)
        #expect(settings.concurrency == 64)
        #expect(settings.concurrencyPerOrigin == 6)
        #expect(settings.bodyForm == .text)
        #expect(!settings.cancelsAtFirstFailure)
        #expect(!settings.transferOptions.keepsDotSegments)
        #expect(settings.transferOptions.timeouts.total == nil)
        #expect(settings.transferOptions.timeouts.connect == .seconds(10))
        #expect(settings.transferOptions.timeouts.idle == .seconds(60))
        #expect(settings.transferOptions.maximumBodyByteCount == 67_108_864)
        #expect(settings.maximumBytesPerSecond == nil)
        #expect(settings.governor == nil)
        #expect(settings.transferOptions.proxyConfiguration == nil)
        #expect(settings.transferOptions.netrc == nil)
        #expect(settings.transferOptions.securityPolicy == .default)
    }

    @Test(arguments: [
        ("1", 1), ("500", 500), ("2k", 2048), ("2K", 2048), ("3m", 3 << 20), ("3M", 3 << 20), ("1g", 1 << 30),
        ("1G", 1 << 30),
    ])
    func rateIsANumberOfBytesWithAFactor(text: String, rate: Int) throws {
        #expect(try RunOptions.parse(["--limit-rate", text]).settings.maximumBytesPerSecond == rate)
    }

    @Test(arguments: [
        ("10/s", RateLimit(10)), ("90/m", RateLimit(90, per: .seconds(60))),
        ("1000/h", RateLimit(1000, per: .seconds(3600))),
    ])
    func rateIsANumberOfRequestsInATime(text: String, rate: RateLimit) throws {
        #expect(try RunOptions.parse(["--rate", text]).limits.rate == rate)
        #expect(try RunOptions.parse(["--origin-rate", text]).limits.originRate == rate)
    }

    @Test func governorUsesThePerOriginOption() throws {
        let options = try RunOptions.parse(["--retries", "1", "--per-origin", "100", "--origin-rate", "5/s"])
        let limits = options.limits.originLimits(perOrigin: options.requests.counts.perOrigin)
        #expect(limits.maximumConcurrentTransferCount == 100 && limits.rateLimit == RateLimit(5))
    }

    @Test(arguments: [["--rate", "1/s"], ["--origin-rate", "1/s"], ["--retries", "1"]])
    func ratesAndRetriesCreateAGovernor(arguments: [String]) throws {
        #expect(try RunOptions.parse(arguments).settings.governor != nil)
        #expect(try RunOptions.parse(["--retries", "0"]).settings.governor == nil)
    }

    @Test func everyOptionReachesTheSettings() throws {
        let options = try RunOptions.parse([
            "--base-url", "https://example.com/v1/", "--concurrency", "8", "--per-origin", "2", "--timeout", "2.5",
            "--connect-timeout", "0.5", "--idle-timeout", "7", "--max-body", "0", "--fail-fast", "--body", "base64",
            "--progress", "never", "--results", "out", "--path-as-is", "--header",
            "X-Client: demo", "lines",
        ])
        let settings = try options.settings
        #expect(settings.baseURL?.absoluteString == "https://example.com/v1/")
        #expect(settings.concurrency == 8)
        #expect(settings.concurrencyPerOrigin == 2)
        #expect(settings.transferOptions.keepsDotSegments)
        #expect(settings.transferOptions.timeouts.total == .seconds(2.5))
        #expect(settings.transferOptions.timeouts.connect == .seconds(0.5))
        #expect(settings.transferOptions.timeouts.idle == .seconds(7))
        #expect(settings.transferOptions.maximumBodyByteCount == 0)
        #expect(settings.cancelsAtFirstFailure)
        #expect(settings.bodyForm == .base64)
        #expect(options.output.progress == .never)
        #expect(options.output.results == "out")
        #expect(settings.headers == ["X-Client": "demo"])
        #expect(options.file == "lines")
    }

    @Test func trustOptionsMakeAPolicy() throws {
        let options = try RunOptions.parse([
            "--allow-invalid-certificates", "--no-host-validation", "--ca", "/etc/hostname",
        ])
        let policy = try options.settings.transferOptions.securityPolicy
        #expect(policy.allowInvalidCertificates)
        #expect(!policy.validatesDomainName)
        #expect(policy.authorities == .file("/etc/hostname"))
    }

    @Test(arguments: RefusedOptions.all)
    func invalidOptionIsRefusedByNameWithAReason(_ refused: RefusedOptions) throws {
        let error = try #require(throws: (any Error).self) { try RunOptions.parse(refused.arguments) }
        let message = RunOptions.fullMessage(for: error)
        #expect(message.contains(refused.arguments[0]))
        #expect(message.contains(refused.message))
    }

    @Test func invalidCertificatesWithHostValidationAreRefused() throws {
        let error = try #require(throws: (any Error).self) { try RunOptions.parse(["--allow-invalid-certificates"]) }
        #expect(RunOptions.message(for: error).contains("contradicts validating the host"))
    }

    @Test(arguments: [
        (ProgressMode.auto, true, ProgressStyle?.some(.bars)), (.auto, false, nil), (.always, true, .bars),
        (.always, false, .plain), (.never, true, nil), (.never, false, nil),
    ])
    func barsAreForTerminalsOnly(_ mode: ProgressMode, _ isTerminal: Bool, _ style: ProgressStyle?) {
        #expect(mode.style(isTerminal: isTerminal) == style)
    }
}
