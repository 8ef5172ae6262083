// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// Transfer options with values derived from them: one immutable object for all operations with the same options.
package final class ResolvedOptions: Sendable {
    let value: TransferOptions
    /// The connection pool key of the options, made once; without a TLS setup.
    private let poolKey: PoolKeyBox
    /// The connection pool key with the TLS setup that was read last.
    private let securePoolKey = Mutex<PoolKeyBox?>(nil)
    /// Whether the host decides which policy counts, or whether one does.
    let hasHostPolicies: Bool
    /// Why nothing may be sent with these options; nil when something may.
    let contradiction: NetworkingError?
    /// Whether the options have a response cache; reading it from the options would copy them for each operation.
    let hasResponseCache: Bool
    let keepsDotSegments: Bool
    /// The limits in nanoseconds.
    let connectTimeout: UInt64
    let idleTimeout: UInt64?
    let timeout: UInt64?
    /// The last entry of the TLS setup cache for these options.
    private let ready = Mutex<TLSSetupCache.Ready?>(nil)

    package init(_ value: TransferOptions) {
        self.value = value
        poolKey = PoolKeyBox(value.poolKey)
        hasHostPolicies = !value.securityPolicy.hosts.isEmpty || value.securityPolicy.trustsNobody
        contradiction = Self.contradiction(in: value)
        hasResponseCache = value.responseCache != nil
        keepsDotSegments = value.keepsDotSegments
        connectTimeout = value.connectTimeout.nanoseconds
        idleTimeout = value.idleTimeout?.nanoseconds
        timeout = value.timeout?.nanoseconds
    }

    private static func contradiction(in options: TransferOptions) -> NetworkingError? {
        do throws(NetworkingError) {
            try options.securityPolicy.validate()
            try options.proxy?.securityPolicy.validate()
            return nil
        } catch {
            return error
        }
    }

    /// The TLS setup while it is fresh, when it is the same for all hosts; saves a look-up in the cache.
    var readySetup: TLSSetup? {
        ready.withLock { ready in
            guard let ready, MonotonicClock.roughly() < ready.end else { return nil }
            return ready.setup
        }
    }

    /// Stores the cache's entry for these options.
    func note(_ found: TLSSetupCache.Ready) {
        guard !hasHostPolicies else { return }
        ready.withLock { $0 = found }
    }

    /// The pool key of a connection.
    ///
    /// - Parameter setup: the TLS setup; nil without TLS.
    func poolKey(with setup: TLSSetup?) -> PoolKeyBox {
        guard let setup else { return poolKey }
        return securePoolKey.withLock { known in
            if let known, known.value.setup == setup { return known }
            var poolKey = value.poolKey
            poolKey.setup = setup
            let made = PoolKeyBox(poolKey)
            known = made
            return made
        }
    }
}
