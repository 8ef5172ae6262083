// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What the TLS connection of an operation's next hop is made with. Network thread only; it reads no file.
struct HopTLS {
    private let prepared: PreparedRequest
    private var source: SharedValue<TLSSetupSource>?
    private(set) var setup: TLSSetup?
    private(set) var hasLeftOrigin = false

    init(_ prepared: PreparedRequest) {
        self.prepared = prepared
    }

    /// A redirect leads to another scheme, host or port: the client's certificate stays behind, also if a later one leads
    /// back.
    mutating func leaveOrigin() { hasLeftOrigin = true }

    /// What has to be read before a request may go to `origin`; nil when nothing has to be.
    mutating func missing(for origin: Origin) throws(NetworkingError) -> TLSSetupSource? {
        guard origin.isSecure else {
            if setup != nil { (source, setup) = (nil, nil) }
            return nil
        }
        if source == nil, !hasLeftOrigin, let ready = prepared.sharedOptions.readySetup {
            setup = ready
            return nil
        }
        let policy = prepared.options.securityPolicy
        let wanted = try TLSSetupSource(options, policy.policy(forHost: origin.host) ?? policy)
        if wanted == source?.value { return nil }
        guard let ready = TLSSetupCache.shared.ready(wanted) else { return wanted }
        if !hasLeftOrigin { prepared.sharedOptions.note(ready) }
        take(ready.setup, of: wanted)
        return nil
    }

    mutating func take(_ setup: TLSSetup, of source: TLSSetupSource) {
        self.setup = setup
        self.source = SharedValue(source)
    }

    /// Completes the identity of the hop's connection.
    func complete(_ identity: inout TrustIdentity) {
        if hasLeftOrigin { identity.tls.clientIdentity = nil }
        identity.setup = setup
    }

    private var options: TLSOptions {
        var options = prepared.options.tls
        if hasLeftOrigin { options.clientIdentity = nil }
        return options
    }
}
