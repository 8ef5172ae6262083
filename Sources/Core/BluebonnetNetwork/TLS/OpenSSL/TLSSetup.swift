// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The setup of a request's TLS connections: the options, and the contents of the files that they name. Immutable, any
/// thread. Setups with equal contents are equal, whichever files the contents came from.
package final class TLSSetup: Sendable {
    let options: TLSOptions
    let authorities: TrustStore
    let identity: LoadedIdentity?
    let keyLog: KeyLogFile?

    /// Reads the files that the source names. May block.
    convenience init(_ source: TLSSetupSource) throws(NetworkingError) {
        let options = source.options
        let (authorities, identity) = try usingOpenSSL { () throws(NetworkingError) in
            (
                try TrustStore(source.authorities, isRequired: source.needsAuthorities),
                try options.clientIdentity.map { identity throws(NetworkingError) in try LoadedIdentity(identity) }
            )
        }
        self.init(
            options: options, authorities: authorities, identity: identity,
            keyLog: try options.keyLogFile.map { path throws(NetworkingError) in try KeyLogFile(path: path) })
    }

    private init(options: TLSOptions, authorities: TrustStore, identity: LoadedIdentity?, keyLog: KeyLogFile?) {
        self.options = options
        self.authorities = authorities
        self.identity = identity
        self.keyLog = keyLog
    }
}

extension TLSSetup: Hashable {
    package static func == (one: TLSSetup, other: TLSSetup) -> Bool {
        if one === other { return true }
        return one.authorities.digest == other.authorities.digest && one.identity?.digest == other.identity?.digest
            && one.options.minimumVersion == other.options.minimumVersion
            && one.options.maximumVersion == other.options.maximumVersion
            && one.options.ciphers == other.options.ciphers && one.options.cipherSuites == other.options.cipherSuites
            && one.options.requiresStapledStatus == other.options.requiresStapledStatus
            && one.options.keyLogFile == other.options.keyLogFile
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(authorities.digest)
        hasher.combine(identity == nil)
    }
}
