// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Configuration

extension RequestOperationManager.Configuration {
    /// Reads the initial settings of a manager from swift-configuration. Where a setting means the same as in
    /// async-http-client, its key is the same.
    ///
    /// ```swift
    /// let reader = ConfigReader(provider: EnvironmentVariablesProvider())
    /// let manager = RequestOperationManager(
    ///     baseURL: base, configuration: try .init(configReader: reader.scoped(to: "http")))
    /// ```
    ///
    /// A missing key leaves the default. The page "Use it with other packages" lists the keys.
    ///
    /// - Parameter configReader: the keys are relative to it. Passwords, and header fields, are read as secrets.
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the key, for a value of another type, outside of
    ///   its range, or that asks for something that the library does not do. The file with authorities is read when it
    ///   is needed.
    public init(configReader: ConfigReader) throws(NetworkingError) {
        self.init()
        let keys = ConfigurationKeys(configReader)
        try readLimits(keys)
        try transferOptions.readTimeouts(keys)
        try transferOptions.readConnections(keys)
        try transferOptions.readRedirects(keys)
        try transferOptions.readTrust(keys)
        transferOptions.proxy = try Proxy(keys)
        if let count = try keys.integer("retry.maximumAttemptCount") {
            retryPolicy = .standard
            retryPolicy?.maximumAttemptCount = count
        }
        if let fields = try keys.pairs("headers", isSecret: true) { headers = HeaderFields(fields) }
    }

    private mutating func readLimits(_ keys: ConfigurationKeys) throws(NetworkingError) {
        if let count = try keys.integer("maximumConcurrentTransferCount") { maximumConcurrentTransferCount = count }
        if let count = try keys.integer("maximumConcurrentTransferCountPerOrigin") {
            maximumConcurrentTransferCountPerOrigin = count
        }
        maximumBytesPerSecond = try keys.integer("maximumBytesPerSecond")
        maximumBytesPerSecondPerOrigin = try keys.integer("maximumBytesPerSecondPerOrigin")
    }
}

extension TransferOptions {
    fileprivate mutating func readTimeouts(_ keys: ConfigurationKeys) throws(NetworkingError) {
        timeouts.connect = try keys.milliseconds("timeout.connectionMs")
        timeouts.idle = try keys.milliseconds("timeout.readMs")
        timeouts.total = try keys.milliseconds("timeout.totalMs")
    }

    fileprivate mutating func readConnections(_ keys: ConfigurationKeys) throws(NetworkingError) {
        connectionLimits = ConnectionLimits(
            maximumAge: try keys.milliseconds("connectionPool.maximumAgeMs"),
            maximumIdleTime: try keys.milliseconds("connectionPool.idleTimeoutMs"),
            maximumUseCount: try keys.integer("maximumUsesPerConnection"))
        let versions: KeyValuePairs<String, HTTPProtocolVersion> = [
            "automatic": .negotiated, "http1Only": .http1, "http2PriorKnowledge": .http2PriorKnowledge,
        ]
        if let version = try keys.choice("httpVersion", of: versions) { httpVersion = version }
        for (host, address) in try keys.pairs("dnsOverrides") ?? [] { addressOverrides[host] = address }
        unixSocketPath = try keys.string("unixSocketPath")
        if let count = try keys.integer("maximumBodyByteCount") { maximumBodyByteCount = count }
    }

    fileprivate mutating func readRedirects(_ keys: ConfigurationKeys) throws(NetworkingError) {
        if let count = try keys.integer("redirect.maxRedirects", minimum: 0) { maximumRedirectCount = count }
        let follows = try keys.choice("redirect.mode", of: ["follow": true, "disallow": false])
        if follows == false { maximumRedirectCount = 0 }
        let refused: KeyValuePairs = [
            "redirect.allowCycles": "a loop of redirects is always an error",
            "redirect.retainHTTPMethodAndBodyOn301": "a POST becomes a GET after status 301",
            "redirect.retainHTTPMethodAndBodyOn302": "a POST becomes a GET after status 302",
        ]
        for (key, reason) in refused where try keys.bool(key) == true {
            throw keys.refuse(key, "is true, but \(reason)")
        }
    }

    fileprivate mutating func readTrust(_ keys: ConfigurationKeys) throws(NetworkingError) {
        if let path = try keys.string("tls.authoritiesFile") {
            securityPolicy = try keys.make("tls.authoritiesFile") { () throws(NetworkingError) in
                try SecurityPolicy(authorities: .file(path))
            }
        }
        let versions: KeyValuePairs<String, TLSProtocolVersion> = ["1.2": .v12, "1.3": .v13]
        if let version = try keys.choice("tls.minimumVersion", of: versions) {
            tls = try keys.make("tls.minimumVersion") { () throws(NetworkingError) in
                try TLSOptions(minimumVersion: version)
            }
        }
    }
}
