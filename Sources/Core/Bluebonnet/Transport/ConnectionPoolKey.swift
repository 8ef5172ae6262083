// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetHTTP

/// The key by which connections, TLS sessions and easy handles are pooled: security policy, TLS, proxy, Unix socket,
/// addresses and limits. A request never uses a connection that was opened with another key.
struct ConnectionPoolKey: Hashable, Sendable {
    var securityPolicy = SecurityPolicy.default
    var proxy: Proxy?
    var unixSocketPath: ByteString?
    /// Host to address; part of the key because libcurl remembers them with the connections.
    var addressOverrides: [String: String] = [:]
    var tls = TLSOptions.default
    /// Part of the key so that the uses of a connection are counted from its first one on.
    var connectionLimits = ConnectionLimits()
    /// Whether no transfer shares its connection with another at the same time, because somebody may hold its response
    /// back for long: see `CurlPartition`.
    var isExclusive = false
    /// What was read for `tls`, so that a changed file makes another key; nil without TLS.
    var setup: TLSSetup?
    /// The answers of the operation's block about servers; nil without a block.
    var trustAnswers: TrustAnswers?
}

/// A connection pool key in a box, so that equal keys are mostly found by object identity instead of by comparing all
/// parts.
final class PoolKeyBox: Sendable {
    static let plain = PoolKeyBox(ConnectionPoolKey())

    let value: ConnectionPoolKey
    /// The bytes of user name and password for the proxy.
    let proxyCredentialByteCount: Int

    init(_ value: ConnectionPoolKey) {
        self.value = value
        proxyCredentialByteCount = (value.proxy?.user?.utf8.count ?? 0) + (value.proxy?.password?.utf8.count ?? 0)
    }
}
