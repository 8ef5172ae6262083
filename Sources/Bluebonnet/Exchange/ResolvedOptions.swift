// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// Transfer options as operations hold them: one object for all operations that were given the same ones. They never
/// change.
package final class ResolvedOptions: Sendable {
    let value: TransferOptions
    /// What the options say of trust, put together once; without TLS.
    private let poolKey: PoolKeyBox
    /// The same with what was last read for TLS.
    private let securePoolKey = Mutex<PoolKeyBox?>(nil)
    /// Whether the host decides which policy counts.
    let hasPolicyTable: Bool
    /// Whether there is a cache to ask: looking at it among the options would copy it for each operation.
    let hasResponseCache: Bool
    let keepsDotSegments: Bool
    /// The limits in nanoseconds.
    let connectTimeout: UInt64
    let idleTimeout: UInt64?
    let timeout: UInt64?
    /// What was last found in the cache for them.
    private let ready = Mutex<TLSSetupCache.Ready?>(nil)

    package init(_ value: TransferOptions) {
        self.value = value
        poolKey = PoolKeyBox(value.poolKey)
        hasPolicyTable = value.securityPolicy.table != nil
        hasResponseCache = value.responseCache != nil
        keepsDotSegments = value.keepsDotSegments
        connectTimeout = value.connectTimeout.nanoseconds
        idleTimeout = value.idleTimeout?.nanoseconds
        timeout = value.timeout?.nanoseconds
    }

    /// What was read for TLS and may still be used, where it is the same for all hosts: the cache is asked only now and
    /// then.
    var readySetup: TLSSetup? {
        ready.withLock { ready in
            guard let ready, MonotonicClock.roughly() < ready.end else { return nil }
            return ready.setup
        }
    }

    /// Notes what the cache has for these options.
    func note(_ found: TLSSetupCache.Ready) {
        guard !hasPolicyTable else { return }
        ready.withLock { $0 = found }
    }

    /// The identity of a connection.
    ///
    /// - Parameter setup: what was read for TLS; nil without.
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
