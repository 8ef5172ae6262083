// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import FoundationNetworking

/// Transfer options with values derived from them: one immutable object for all operations with the same options.
package final class ResolvedOptions: Sendable {
    let value: TransferOptions
    /// The connection pool key of the options, made once; without a TLS setup, for connections that transfers share.
    private let poolKey: PoolKeyBox
    /// The connection pool keys with the TLS setup that was read last: for connections that transfers share, and for
    /// exclusive connections.
    private let otherPoolKeys = Mutex<(shared: PoolKeyBox?, exclusive: PoolKeyBox?)>((nil, nil))
    /// Whether the security policy depends on the host, or refuses every host.
    let hasHostPolicies: Bool
    /// Whether hops have different connection pool keys, because of the policy for their host or because of their
    /// proxy.
    let hasHopKeys: Bool
    /// Whether a hop may use an https proxy.
    let hasSecureProxies: Bool
    /// Why no request may be sent with these options; nil if requests are allowed.
    let contradiction: NetworkingError?
    /// Whether the options have a response cache. Stored, because reading it from the options would copy them for each
    /// operation.
    let hasResponseCache: Bool
    /// Whether a cache in memory may answer calls of which the program sees only the value: see
    /// `RequestOperationManager.quickReply(to:_:)`.
    let hasQuickCache: Bool
    /// The part of the name of a request's partition in the cache that comes from the options; empty without a cache.
    let cachePartition: String
    let keepsDotSegments: Bool
    let retryPolicy: RetryPolicy?
    let authenticator: SharedAuthenticator?
    /// Whether requests are changed by request adapters or an authenticator.
    let areRequestsAdapted: Bool
    let timeouts: ResolvedTimeouts
    /// The channels of the event monitors.
    let eventChannels: EventChannelSource
    /// Whether the idle limit was set for the operation, not for its manager.
    private let isIdleLimitOwn: Bool
    /// The last entry of the TLS setup cache for these options.
    private let ready = Mutex<TLSSetupCache.Ready?>(nil)

    /// - Parameter areManagers: whether the options are a manager's, shared by its operations.
    package convenience init(_ value: TransferOptions, areManagers: Bool = false) {
        self.init(value, isIdleLimitOwn: !areManagers)
    }

    private init(_ value: TransferOptions, isIdleLimitOwn: Bool) {
        self.value = value
        self.isIdleLimitOwn = isIdleLimitOwn
        poolKey = PoolKeyBox(value.poolKey)
        hasHostPolicies = !value.securityPolicy.hosts.isEmpty || value.securityPolicy.trustsNobody
        hasHopKeys = hasHostPolicies || value.proxy == nil && !value.possibleProxies.isEmpty
        hasSecureProxies = value.possibleProxies.contains(where: \.isSecure)
        contradiction = Self.contradiction(in: value)
        hasResponseCache = value.responseCache != nil
        hasQuickCache =
            value.responseCache is InMemoryResponseCache && value.authenticator == nil && value.requestAdapters.isEmpty
            && value.eventMonitors.isEmpty
        cachePartition =
            value.responseCache == nil
            ? ""
            : CachePartition.shared(value.poolKey, value.credential, decodesContent: value.decodesContent)
        keepsDotSegments = value.keepsDotSegments
        retryPolicy = value.retryPolicy
        authenticator = value.authenticator
        areRequestsAdapted = value.authenticator != nil || !value.requestAdapters.isEmpty
        timeouts = ResolvedTimeouts(value.timeouts, isIdleOwn: isIdleLimitOwn)
        eventChannels = EventChannelSource(value.eventMonitors)
    }

    /// Returns the options of an operation with these options after a change.
    func changed(to value: TransferOptions) -> ResolvedOptions {
        ResolvedOptions(value, isIdleLimitOwn: isIdleLimitOwn || value.timeouts.idle != self.value.timeouts.idle)
    }

    /// Returns the effective time limits of a request, in a form in which they are the operation's own limits.
    func timeouts(for request: URLRequest) -> Timeouts {
        var own = value.timeouts
        if timeouts.leavesIdle(toRequestInterval: request.timeoutInterval) { own.idle = nil }
        return own
    }

    private static func contradiction(in options: TransferOptions) -> NetworkingError? {
        do throws(NetworkingError) {
            try options.securityPolicy.validate()
            try checkLimits(of: options)
            if let error = options.netrc?.error { throw error }
            for proxy in options.possibleProxies { try proxy.securityPolicy.validate() }
            return nil
        } catch {
            return error
        }
    }

    private static func checkLimits(of options: TransferOptions) throws(NetworkingError) {
        guard options.maximumBytesPerSecond.map({ $0 > 0 }) ?? true else {
            throw NetworkingError(.invalidRequest, "a limit of bytes per second must be 1 or more")
        }
        guard options.lowSpeedLimit?.isValid ?? true else {
            throw NetworkingError(.invalidRequest, "a low-speed limit needs a rate and a duration above zero")
        }
        guard options.connectionLimits.isValid else {
            throw NetworkingError(
                .invalidRequest, "a limit of a connection's age, idle time or uses must be above zero")
        }
    }

    /// The TLS setup while it is fresh, if it is the same for all hosts. Saves a look-up in the cache.
    var readySetup: TLSSetup? {
        ready.withLock { ready in
            guard let ready, MonotonicClock.roughly() < ready.end else { return nil }
            return ready.setup
        }
    }

    /// Stores the cache's entry for these options.
    func store(_ found: TLSSetupCache.Ready) {
        guard !hasHostPolicies else { return }
        ready.withLock { $0 = found }
    }

    /// Returns the pool key of a connection.
    ///
    /// - Parameters:
    ///   - setup: the TLS setup; nil without TLS.
    ///   - isExclusive: whether the transfer does not share its connection.
    func poolKey(with setup: TLSSetup?, isExclusive: Bool) -> PoolKeyBox {
        guard setup != nil || isExclusive else { return poolKey }
        return otherPoolKeys.withLock { keys in
            if let known = isExclusive ? keys.exclusive : keys.shared, known.value.setup == setup { return known }
            var poolKey = value.poolKey
            (poolKey.setup, poolKey.isExclusive) = (setup, isExclusive)
            let made = PoolKeyBox(poolKey)
            if isExclusive { keys.exclusive = made } else { keys.shared = made }
            return made
        }
    }
}
