// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetFleet
import Foundation
import TestSupport
import Testing

/// The values on the page about defaults are the values in the code.
@Suite(.timeLimit(.minutes(1))) struct DefaultsPageTests {
    /// The default cells without backquotes, by the last two parts of the symbols in the first cells.
    private let rows: [String: String]

    init() throws {
        let folder = try CodeBlock.sources(of: "Bluebonnet").appendingPathComponent("Bluebonnet.docc")
        let page = try String(contentsOf: folder.appendingPathComponent("Defaults.md"), encoding: .utf8)
        let pairs = page.split(separator: "\n").filter { $0.hasPrefix("| ``") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let parts = cells[0].replacingOccurrences(of: "`", with: "").split(separator: "/").suffix(2)
            return (parts.joined(separator: "/"), cells[1].replacingOccurrences(of: "`", with: ""))
        }
        rows = Dictionary(uniqueKeysWithValues: pairs)
    }

    private static func shown(_ duration: Duration) -> String {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }

    private static func shown(_ statuses: Set<Int>) -> String {
        statuses.sorted().map(String.init).joined(separator: ", ")
    }

    /// The text for nil, or the value.
    private static func shown(_ value: Any?, ifNil text: String) -> String { value.map { "\($0)" } ?? text }

    private static var ofManager: [String: String] {
        let configuration = RequestOperationManager.Configuration()
        let manager = RequestOperationManager()
        return [
            "Configuration/maximumConcurrentTransferCount": "\(configuration.maximumConcurrentTransferCount)",
            "Configuration/maximumConcurrentTransferCountPerOrigin":
                "\(configuration.maximumConcurrentTransferCountPerOrigin)",
            "Configuration/maximumBytesPerSecond": shown(configuration.maximumBytesPerSecond, ifNil: "no limit"),
            "Configuration/maximumBytesPerSecondPerOrigin":
                shown(configuration.maximumBytesPerSecondPerOrigin, ifNil: "no limit"),
            "Configuration/governor": shown(configuration.governor, ifNil: "none"),
            "Configuration/requestSerializer": "\(type(of: configuration.requestSerializer))",
            "Configuration/responseSerializer": "\(type(of: configuration.responseSerializer))",
            "Configuration/headers": configuration.headers.isEmpty ? "none" : "\(configuration.headers)",
            "RequestOperationManager/encoder": "Foundation's \(type(of: manager.encoder))",
            "RequestOperationManager/decoder": "Foundation's \(type(of: manager.decoder))",
            "RequestOperationManager/completionQueue":
                shown(manager.completionQueue, ifNil: "the serial queue org.bluebonnet.callbacks"),
            "RequestOperationQueue/maxConcurrentOperationCount":
                "\(RequestOperationQueue().maxConcurrentOperationCount)",
            "Options/failurePolicy": "\(Batch.Options().failurePolicy)",
            "Options/timeout": shown(Batch.Options().timeout, ifNil: "no limit"),
        ]
    }

    private static var ofTransfers: [String: String] {
        let options = TransferOptions()
        let operation = RequestOperationManager().operation("GET", "http://localhost/")
        return [
            "TransferOptions/maximumBytesPerSecond": shown(options.maximumBytesPerSecond, ifNil: "no limit"),
            "TransferOptions/waitsForConnectivity": "\(options.waitsForConnectivity)",
            "TransferOptions/lowSpeedLimit": shown(options.lowSpeedLimit, ifNil: "no limit"),
            "TransferOptions/maximumRedirectCount": "\(options.maximumRedirectCount)",
            "TransferOptions/allowsInsecureRedirects": "\(options.allowsInsecureRedirects)",
            "TransferOptions/maximumBodyByteCount": "\(options.maximumBodyByteCount) bytes",
            "TransferOptions/maximumHeaderByteCount": "\(options.maximumHeaderByteCount) bytes",
            "TransferOptions/decodesContent": "\(options.decodesContent)",
            "TransferOptions/maximumExpansionRatio": "\(options.maximumExpansionRatio)",
            "TransferOptions/keepsDotSegments": "\(options.keepsDotSegments)",
            "TransferOptions/syncsFilesToDisk": "\(options.syncsFilesToDisk)",
            "TransferOptions/httpVersion": "\(options.httpVersion)",
            "TransferOptions/proxy": shown(options.proxy, ifNil: "none"),
            "TransferOptions/proxyConfiguration": shown(options.proxyConfiguration, ifNil: "none"),
            "TransferOptions/unixSocketPath": shown(options.unixSocketPath, ifNil: "none"),
            "TransferOptions/addressOverrides": options.addressOverrides.isEmpty ? "none" : "some",
            "TransferOptions/credential": shown(options.credential, ifNil: "none"),
            "TransferOptions/usesCredentialStorage": "\(options.usesCredentialStorage)",
            "TransferOptions/netrc": shown(options.netrc, ifNil: "none"),
            "TransferOptions/authenticator": shown(options.authenticator, ifNil: "none"),
            "TransferOptions/requestAdapters": options.requestAdapters.isEmpty ? "none" : "some",
            "TransferOptions/cookieJar": shown(options.cookieJar, ifNil: "none"),
            "TransferOptions/responseCache": shown(options.responseCache, ifNil: "none"),
            "TransferOptions/cachePolicy": "\(options.cachePolicy)",
            "TransferOptions/retryPolicy": shown(options.retryPolicy, ifNil: "none"),
            "ConnectionLimits/maximumAge": shown(options.connectionLimits.maximumAge, ifNil: "no limit"),
            "ConnectionLimits/maximumUseCount": shown(options.connectionLimits.maximumUseCount, ifNil: "no limit"),
            "Timeouts/total": shown(options.timeouts.total, ifNil: "no limit"),
            "RequestOperation/existingFilePolicy": "\(operation.existingFilePolicy)",
            "RequestOperation/queuePriority": operation.queuePriority == .normal ? "normal" : "another",
            "HTTPRequestOperation/computesDigest": "\(operation.computesDigest)",
        ]
    }

    private static var ofTrust: [String: String] {
        let (policy, tls) = (TransferOptions().securityPolicy, TransferOptions().tls)
        return [
            "SecurityPolicy/authorities": "\(policy.authorities)",
            "SecurityPolicy/validatesDomainName": "\(policy.validatesDomainName)",
            "SecurityPolicy/allowInvalidCertificates": "\(policy.allowInvalidCertificates)",
            "SecurityPolicy/pinningMode": "\(policy.pinningMode)",
            "TLSOptions/minimumVersion": "\(tls.minimumVersion)",
            "TLSOptions/maximumVersion": shown(tls.maximumVersion, ifNil: "the newest of OpenSSL"),
            "TLSOptions/clientIdentity": shown(tls.clientIdentity, ifNil: "none"),
            "TLSOptions/requiresStapledStatus": "\(tls.requiresStapledStatus)",
        ]
    }

    private static var ofRetriesAndGovernors: [String: String] {
        let (policy, limits, rate, breaker) = (RetryPolicy.standard, OriginLimits(), RateLimit(1), CircuitBreaker())
        return [
            "RetryPolicy/maximumAttemptCount": "\(policy.maximumAttemptCount)",
            "RetryPolicy/initialBackoff": shown(policy.initialBackoff),
            "RetryPolicy/maximumBackoff": shown(policy.maximumBackoff),
            "RetryPolicy/maximumTime": policy.maximumTime.map { shown($0) } ?? "no limit",
            "RetryPolicy/maximumRetryAfter": shown(policy.maximumRetryAfter),
            "RetryPolicy/statusCodes": shown(policy.statusCodes),
            "RetryPolicy/usesBudget": "\(policy.usesBudget)",
            "OriginLimits/maximumConcurrentTransferCount": "\(limits.maximumConcurrentTransferCount)",
            "OriginLimits/rateLimit": shown(limits.rateLimit, ifNil: "no limit"),
            "OriginLimits/circuitBreaker": shown(limits.circuitBreaker, ifNil: "none"),
            "OriginLimits/maximumHold": shown(limits.maximumHold),
            "RateLimit/period": shown(rate.period),
            "RateLimit/burst": "\(rate.burst)",
            "CircuitBreaker/failureCount": "\(breaker.failureCount)",
            "CircuitBreaker/openTime": shown(breaker.openTime),
            "CircuitBreaker/statusCodes": shown(breaker.statusCodes),
        ]
    }

    private static var ofSerializers: [String: String] {
        let (request, validation) = (HTTPRequestSerializer(), ResponseValidation())
        let statuses = validation.acceptableStatusCodes
        let types = JSONResponseSerializer().validation.acceptableContentTypes ?? []
        let isUTF8 = StringResponseSerializer().stringEncoding == .utf8
        return [
            "HTTPRequestSerializer/headers": request.headers.contains(name: "User-Agent") ? "User-Agent" : "none",
            "HTTPRequestSerializer/methodsEncodingParametersInURL":
                request.methodsEncodingParametersInURL.sorted().joined(separator: ", "),
            "ResponseValidation/acceptableStatusCodes":
                "\(statuses?.first ?? 0) to \(statuses?.last ?? 0)",
            "ResponseValidation/acceptableContentTypes": shown(validation.acceptableContentTypes, ifNil: "any"),
            "JSONResponseSerializer/validation": types.sorted().joined(separator: ", "),
            "JSONResponseSerializer/removesKeysWithNullValues":
                "\(JSONResponseSerializer().removesKeysWithNullValues)",
            "StringResponseSerializer/stringEncoding": isUTF8 ? "UTF-8" : "another",
            "Tuning": Tuning.all == [.busyPolling, .corkedWrites, .reusedHandles] ? "all parts on" : "another",
        ]
    }

    /// Values that a program cannot read: the cells, the files and the texts in the files.
    private static let inSources: [String: (cell: String, file: String, text: String)] = [
        "Timeouts/connect": ("10 s", "Hops/Timeouts.swift", "usualConnect = Duration.seconds(10)"),
        "Timeouts/idle": ("60 s", "Hops/Timeouts.swift", "foundationsInterval = 60.0"),
        "Timeouts/connectivity": ("60 s", "Hops/Timeouts.swift", "connectivity ?? .seconds(60)"),
        "ConnectionLimits/maximumIdleTime": ("118 s", "Limits/ConnectionLimits.swift", "Default nil: 118 s"),
        "InMemoryResponseCache":
            ("20971520 bytes", "Cache/InMemoryResponseCache.swift", "byteCapacity: Int = 20 * 1024 * 1024"),
        "CookieJar": ("3000 cookies", "Cookies/CookieRules.swift", "countLimit = 3000"),
        "SharedAuthenticator": (
            "refreshes 60 s before the expiry, remembers a failed refresh for 10 s, waits 60 s for a refresh",
            "Credentials/SharedAuthenticator.swift",
            "failureInterval: Duration = .seconds(10), refreshTimeout: Duration = .seconds(60)"
        ),
        "BearerAuthenticator": ("30 s", "OAuth/BearerAuthenticator.swift", "options.timeouts.total = .seconds(30)"),
        "NetworkActivityMonitor": (
            "reports activity after 1 s, and its end after 0.17 s", "Activity/NetworkActivityMonitor.swift",
            "activationDelay: Duration = .seconds(1), completionDelay: Duration = .milliseconds(170)"
        ),
        "RequestOperation/postsNotifications":
            ("false", "Operations/RequestOperation+Request.swift", "`didFinishNotification`. Default false"),
    ]

    @Test func pageValuesAreTheCodesValues() throws {
        let groups = [Self.ofManager, Self.ofTransfers, Self.ofTrust, Self.ofRetriesAndGovernors, Self.ofSerializers]
        var expected = Self.inSources.mapValues(\.cell)
        for group in groups { expected.merge(group) { first, _ in first } }
        #expect(rows.keys.sorted() == expected.keys.sorted())
        for (name, value) in expected {
            let rest = rows[name].map { $0.hasPrefix(value) ? $0.dropFirst(value.count) : "wrong" } ?? "missing"
            #expect(rest.first.map { ",:; ".contains($0) } ?? true, "\(name) is \(value)")
        }
    }

    @Test func sourcesHaveUnreadableValues() throws {
        let folders = try ["Bluebonnet", "BluebonnetNetwork"].map(CodeBlock.sources)
        for (name, row) in Self.inSources {
            let files = folders.map { $0.appendingPathComponent(row.file) }
            let file = try #require(files.first { FileManager.default.fileExists(atPath: $0.path) }, "\(row.file)")
            let source = try String(contentsOf: file, encoding: .utf8)
            #expect(source.contains(row.text), "\(name)")
        }
    }

    @Test func lineRunnersHaveTheCommandsDefaults() {
        let (runner, worker) = (RequestLineRunner.Settings(), FleetWorker.Configuration())
        #expect(runner.concurrency == 64 && worker.concurrency == 64)
        #expect(runner.concurrencyPerOrigin == 6 && worker.concurrencyPerOrigin == 6)
        #expect(runner.drainTimeout == .seconds(10) && worker.drainTimeout == .seconds(10))
        #expect(worker.lease == .seconds(30))
    }
}
