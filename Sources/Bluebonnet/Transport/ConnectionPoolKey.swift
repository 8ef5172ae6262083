// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a connection was trusted with and for: connections, TLS sessions and easy handles are pooled by it, so that a
/// request never travels on a connection that another identity opened.
struct ConnectionPoolKey: Hashable, Sendable {
    var securityPolicy = SecurityPolicy.default
    var proxy: Proxy?
    var unixSocketPath: String?
    /// Host to address; part of the identity because libcurl remembers them with the connections.
    var addressOverrides: [String: String] = [:]
    var tls = TLSOptions.default
    /// What was read for `tls`, so that a file that has changed makes another identity; nil without TLS.
    var setup: TLSSetup?
    /// What the operation's block has said about servers; nil when it has none.
    var trustAnswers: TrustAnswers?
}

/// A trust identity as transfers hold it: two are compared part by part only when they are not the same object.
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
