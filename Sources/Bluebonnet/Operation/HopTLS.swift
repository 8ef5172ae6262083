// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What the TLS connection of an operation's next hop is made with. Network thread only; it reads no file.
struct HopTLS {
    private let options: SharedOptions
    private var source: TLSSetupSource?
    private(set) var setup: TLSSetup?
    /// The hop is not at the request's origin, or an earlier one was not: the client's certificate stays behind.
    private(set) var hasLeftOrigin = false

    init(_ options: SharedOptions) {
        self.options = options
    }

    /// A redirect leads to another scheme, host or port.
    mutating func leaveOrigin() { hasLeftOrigin = true }

    /// What has to be read before a request may go to `origin`; nil when nothing has to be.
    mutating func missing(for origin: Origin) throws(NetworkingError) -> TLSSetupSource? {
        guard origin.scheme == "https" else {
            (source, setup) = (nil, nil)
            return nil
        }
        let wanted = try TLSSetupSource(tlsOptions, policy(for: origin.host))
        if wanted == source { return nil }
        guard let ready = TLSSetupCache.shared.ready(wanted) else { return wanted }
        take(ready, of: wanted)
        return nil
    }

    mutating func take(_ setup: TLSSetup, of source: TLSSetupSource) {
        self.setup = setup
        self.source = source
    }

    /// Completes the identity of the hop's connection.
    func complete(_ identity: inout TrustIdentity) {
        identity.tls = tlsOptions
        identity.setup = setup
    }

    private func policy(for host: String) -> SecurityPolicy {
        options.value.securityPolicy.policy(forHost: host) ?? options.value.securityPolicy
    }

    private var tlsOptions: TLSOptions {
        guard hasLeftOrigin else { return options.value.tls }
        var others = options.value.tls
        others.clientIdentity = nil
        return others
    }
}
