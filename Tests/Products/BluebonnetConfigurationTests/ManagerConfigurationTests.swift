// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetConfiguration
import Configuration
import Foundation
import Testing

@Suite struct ManagerConfigurationTests {
    private typealias Settings = RequestOperationManager.Configuration

    /// Reads settings from values in memory.
    private static func read(_ values: [String: ConfigValue]) throws -> Settings {
        let pairs = values.map { (AbsoluteConfigKey(ConfigKey($0.key)), $0.value) }
        let provider = InMemoryProvider(values: Dictionary(uniqueKeysWithValues: pairs))
        return try Settings(configReader: ConfigReader(provider: provider))
    }

    @Test func missingKeysLeaveTheDefaults() throws {
        let (read, usual) = (try Self.read([:]), Settings())
        #expect(read.maximumConcurrentTransferCount == usual.maximumConcurrentTransferCount)
        #expect(read.maximumConcurrentTransferCountPerOrigin == usual.maximumConcurrentTransferCountPerOrigin)
        #expect(read.timeouts == usual.timeouts && read.headers == usual.headers && read.retryPolicy == nil)
        let (options, others) = (read.transferOptions, usual.transferOptions)
        #expect(options.connectionLimits == others.connectionLimits && options.httpVersion == others.httpVersion)
        #expect(options.maximumRedirectCount == others.maximumRedirectCount && options.proxy == nil)
        #expect(options.addressOverrides.isEmpty && options.securityPolicy == others.securityPolicy)
        #expect(options.tls == others.tls && options.unixSocketPath == nil)
        #expect(options.maximumBodyByteCount == others.maximumBodyByteCount)
    }

    /// The keys of async-http-client.
    @Test func commonKeysAreRead() throws {
        let options = try Self.read([
            "dnsOverrides": .list("localhost:127.0.0.1", "shop.test: ::1"), "httpVersion": "http1Only",
            "maximumUsesPerConnection": 7, "redirect.mode": "follow", "redirect.maxRedirects": 3,
            "redirect.allowCycles": false, "timeout.connectionMs": 1_500, "timeout.readMs": 250,
            "connectionPool.idleTimeoutMs": 60_000, "proxy.enabled": false,
        ]).transferOptions
        #expect(options.addressOverrides == ["localhost": "127.0.0.1", "shop.test": "::1"])
        #expect(options.httpVersion == .http1 && options.maximumRedirectCount == 3)
        #expect(options.timeouts == Timeouts(connect: .milliseconds(1_500), idle: .milliseconds(250)))
        #expect(options.connectionLimits == ConnectionLimits(maximumIdleTime: .seconds(60), maximumUseCount: 7))
        #expect(options.proxy == nil)
    }

    @Test func ownKeysAreRead() throws {
        let settings = try Self.read([
            "maximumConcurrentTransferCount": 9, "maximumConcurrentTransferCountPerOrigin": 4,
            "maximumBytesPerSecond": 1_000, "maximumBytesPerSecondPerOrigin": 500, "maximumBodyByteCount": 10,
            "timeout.totalMs": 5_000, "connectionPool.maximumAgeMs": 3_000, "httpVersion": "http2PriorKnowledge",
            "retry.maximumAttemptCount": 5, "headers": .list("X-Client: shop", "Accept : a: b"),
            "unixSocketPath": "/run/shop.socket", "tls.minimumVersion": "1.3", "tls.authoritiesFile": "/ca.pem",
        ])
        #expect(settings.maximumConcurrentTransferCount == 9 && settings.maximumConcurrentTransferCountPerOrigin == 4)
        #expect(settings.maximumBytesPerSecond == 1_000 && settings.maximumBytesPerSecondPerOrigin == 500)
        #expect(settings.headers == ["X-Client": "shop", "Accept": "a: b"])
        #expect(settings.retryPolicy?.maximumAttemptCount == 5 && settings.timeouts.total == .seconds(5))
        let options = settings.transferOptions
        #expect(options.connectionLimits.maximumAge == .seconds(3) && options.httpVersion == .http2PriorKnowledge)
        #expect(options.unixSocketPath == "/run/shop.socket" && options.tls.minimumVersion == .v13)
        #expect(options.maximumBodyByteCount == 10 && options.securityPolicy.authorities == .file("/ca.pem"))
    }

    @Test func disallowedRedirectsAreDelivered() throws {
        let options = try Self.read(["redirect.mode": "disallow", "redirect.maxRedirects": 3]).transferOptions
        #expect(options.maximumRedirectCount == 0)
    }

    @Test func environmentAndScopeAreRead() throws {
        let environment = [
            "HTTP_TIMEOUT_CONNECTION_MS": "1500", "HTTP_REDIRECT_MODE": "disallow", "TIMEOUT_READ_MS": "1",
            "HTTP_DNS_OVERRIDES": "a:127.0.0.1,b:127.0.0.2",
        ]
        let reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: environment))
        let settings = try Settings(configReader: reader.scoped(to: "http"))
        #expect(settings.timeouts == Timeouts(connect: .milliseconds(1_500)))
        #expect(settings.transferOptions.maximumRedirectCount == 0)
        #expect(settings.transferOptions.addressOverrides == ["a": "127.0.0.1", "b": "127.0.0.2"])
    }
}

// MARK: - Errors

extension ManagerConfigurationTests {
    private static func error(_ values: [String: ConfigValue]) -> NetworkingError? {
        #expect(throws: NetworkingError.self) { _ = try read(values) }
    }

    @Test(
        arguments: [
            ("timeout.connectionMs", "abc", "a whole number"), ("timeout.connectionMs", true, "a whole number"),
            ("redirect.mode", 1, "a text"), ("dnsOverrides", "a:b", "a list of texts"),
            ("proxy.enabled", "yes", "true or false"), ("headers", 1, "a list of texts"),
        ] as [(String, ConfigValue, String)])
    func valueOfAnotherTypeIsNamed(key: String, value: ConfigValue, kind: String) {
        let error = Self.error([key: value])
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "the configuration key \(key) is not \(kind)")
    }

    /// A provider that cannot be reached.
    private struct FailingProvider: ConfigProvider {
        struct Unreachable: Error, CustomStringConvertible { let description = "vault unavailable" }

        let providerName = "failing"

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult { throw Unreachable() }

        func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
            throw Unreachable()
        }

        func watchValue<Return: ~Copyable>(
            forKey key: AbsoluteConfigKey, type: ConfigType,
            updatesHandler:
                nonisolated(nonsending) (
                    ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
                ) async throws -> Return
        ) async throws -> Return { throw Unreachable() }

        func snapshot() -> any ConfigSnapshot { Snapshot() }

        func watchSnapshot<Return: ~Copyable>(
            updatesHandler:
                nonisolated(nonsending) (
                    ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
                ) async throws -> Return
        ) async throws -> Return { throw Unreachable() }

        private struct Snapshot: ConfigSnapshot {
            let providerName = "failing"

            func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult { throw Unreachable() }
        }
    }

    @Test func failingProviderIsNotMistakenForMissingKeys() {
        let error = #expect(throws: NetworkingError.self) {
            try Settings(configReader: ConfigReader(provider: FailingProvider()))
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("vault unavailable") == true)
    }

    @Test func wrongVariableOfTheEnvironmentIsNamed() {
        let provider = EnvironmentVariablesProvider(environmentVariables: ["HTTP_TIMEOUT_READ_MS": "soon"])
        let error = #expect(throws: NetworkingError.self) {
            try Settings(configReader: ConfigReader(provider: provider).scoped(to: "http"))
        }
        #expect(error?.message == "the configuration key timeout.readMs is not a whole number")
    }

    @Test(
        arguments: [
            ("timeout.readMs", 0, "is 0, but must be at least 1"), ("redirect.maxRedirects", -1, "must be at least 0"),
            ("maximumConcurrentTransferCount", 0, "must be at least 1"),
            ("redirect.mode", "sometimes", #"is "sometimes", but must be "follow" or "disallow""#),
            ("httpVersion", "3", #"must be "automatic" or "http1Only" or "http2PriorKnowledge""#),
            ("tls.minimumVersion", "1.1", #"must be "1.2" or "1.3""#),
            ("dnsOverrides", .list("a:127.0.0.1", "b"), "has an element 2 that is not two texts with a colon"),
            ("headers", .list(": b"), "has an element 1"),
            ("redirect.allowCycles", true, "a loop of redirects is always"),
            ("redirect.retainHTTPMethodAndBodyOn301", true, "a POST becomes a GET after status 301"),
            ("redirect.retainHTTPMethodAndBodyOn302", true, "a POST becomes a GET after status 302"),
        ] as [(String, ConfigValue, String)])
    func valueThatCannotBeFollowedIsNamed(key: String, value: ConfigValue, reason: String) {
        let error = Self.error([key: value])
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("the configuration key \(key) ") == true)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
