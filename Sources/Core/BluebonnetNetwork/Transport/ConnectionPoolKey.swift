// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetHTTP

/// Identifies a pool of connections, TLS sessions and easy handles by security policy, TLS options, proxy, Unix
/// socket, addresses and limits. A request never uses a connection that was opened with another key.
package struct ConnectionPoolKey: Hashable, Sendable {
    package var securityPolicy = SecurityPolicy.default
    package var proxy: Proxy?
    package var unixSocketPath: ByteString?
    /// Maps hosts to addresses. Part of the key, because libcurl remembers the addresses with the connections.
    package var addressOverrides: [String: String] = [:]
    package var tls = TLSOptions.default
    /// Part of the key, so that the uses of a connection are counted from the first one on.
    var connectionLimits = ConnectionLimits()
    /// Whether a transfer must not share its connection with concurrent transfers, because its response may be paused
    /// for long: see `CurlPartition`.
    package var isExclusive = false
    /// The contents of the files that `tls` names, so that a changed file makes another key; nil without TLS.
    package var setup: TLSSetup?
    /// The answers about servers that the operation's block has given; nil without a block.
    package var trustAnswers: TrustAnswers?

    /// Whether connections may end at a SOCKS proxy.
    var maySpeakSOCKS: Bool { proxy?.forwardsRequests == false }

    package init(
        securityPolicy: SecurityPolicy = SecurityPolicy.default, proxy: Proxy? = nil, unixSocketPath: ByteString? = nil,
        addressOverrides: [String: String] = [:], tls: TLSOptions = TLSOptions.default,
        connectionLimits: ConnectionLimits = ConnectionLimits(), isExclusive: Bool = false, setup: TLSSetup? = nil,
        trustAnswers: TrustAnswers? = nil
    ) {
        self.securityPolicy = securityPolicy
        self.proxy = proxy
        self.unixSocketPath = unixSocketPath
        self.addressOverrides = addressOverrides
        self.tls = tls
        self.connectionLimits = connectionLimits
        self.isExclusive = isExclusive
        self.setup = setup
        self.trustAnswers = trustAnswers
    }
}

/// Boxes a connection pool key, so that equal keys are mostly found by object identity instead of by comparing all
/// parts.
package final class PoolKeyBox: Sendable {
    static let plain = PoolKeyBox(ConnectionPoolKey())

    package let value: ConnectionPoolKey
    /// The number of bytes in the user name and password for the proxy.
    let proxyCredentialByteCount: Int

    package init(_ value: ConnectionPoolKey) {
        self.value = value
        proxyCredentialByteCount = (value.proxy?.user?.utf8.count ?? 0) + (value.proxy?.password?.utf8.count ?? 0)
    }
}
