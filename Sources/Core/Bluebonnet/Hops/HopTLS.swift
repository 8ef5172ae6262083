// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The TLS state of an operation's next hop. Network thread only; it reads no file.
struct HopTLS {
    private var source: Box<TLSSetupSource>?
    private(set) var setup: TLSSetup?
    private(set) var hasLeftOrigin = false

    /// Records a redirect to another scheme, host or port. From then on the client's certificate is not sent, even if a
    /// later redirect leads back.
    mutating func leaveOrigin() { hasLeftOrigin = true }

    /// Returns the files that must be read before a request may be sent to `origin`; nil if nothing has to be read.
    mutating func missing(
        for origin: Origin, with options: ResolvedOptions
    ) throws(NetworkingError) -> Box<TLSSetupSource>? {
        guard origin.isSecure else {
            if setup != nil { (source, setup) = (nil, nil) }
            return nil
        }
        if source == nil, !hasLeftOrigin, let ready = options.readySetup {
            setup = ready
            return nil
        }
        let policy = options.value.securityPolicy
        let wanted = try TLSSetupSource(tlsOptions(options.value), policy.policy(forHost: origin.host) ?? policy)
        if wanted == source?.value { return nil }
        let missing = Box(wanted)
        guard let ready = TLSSetupCache.shared.ready(wanted) else { return missing }
        if !hasLeftOrigin { options.store(ready) }
        store(ready.setup, of: missing)
        return nil
    }

    mutating func store(_ setup: TLSSetup, of source: Box<TLSSetupSource>) {
        (self.setup, self.source) = (setup, source)
    }

    /// Completes the pool key of the hop's connection.
    func complete(_ poolKey: inout ConnectionPoolKey) {
        if hasLeftOrigin { poolKey.tls.clientIdentity = nil }
        poolKey.setup = setup
    }

    private func tlsOptions(_ options: TransferOptions) -> TLSOptions {
        var options = options.tls
        if hasLeftOrigin { options.clientIdentity = nil }
        return options
    }
}
