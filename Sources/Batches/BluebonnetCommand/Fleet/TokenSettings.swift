// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// The file of `--oauth`: the endpoint from which the workers of a fleet get bearer tokens, and the origins that
/// receive them.
struct TokenSettings: Decodable {
    /// The URL of the token endpoint (RFC 6749, 6).
    let tokenEndpoint: URL
    let clientID: String
    let clientSecret: String?
    let scope: String?
    /// The credential for the first token. Later tokens are in the store.
    let refreshToken: String?
    /// The URLs of the origins whose requests carry the token.
    let origins: [URL]
    /// The name of the token in the store.
    let name: String?

    /// Reads the settings from a file that only its owner can read.
    init(file path: String) throws(CommandError) {
        let text: String
        do throws(NetworkingError) {
            text = try PrivateFile.text(ofFile: path)
        } catch {
            throw .unusable(error.message)
        }
        do {
            self = try JSONDecoder().decode(TokenSettings.self, from: Data(text.utf8))
        } catch {
            throw .unusable(
                "cannot read \(path): expected a JSON object with tokenEndpoint, clientID and origins, and optionally "
                    + "clientSecret, scope, refreshToken and name")
        }
        guard !origins.isEmpty else { throw .unusable("cannot read \(path): origins is empty") }
    }

    /// Returns the authenticator of the worker's operations.
    func authenticator(store: String) -> SharedAuthenticator {
        let endpoint = TokenEndpoint(tokenEndpoint, clientID: clientID, clientSecret: clientSecret, scope: scope)
        let initial = refreshToken.map { BearerToken("", refreshToken: $0, expiryDate: .distantPast) }
        return SharedAuthenticator(
            FleetAuthenticator(
                BearerAuthenticator(endpoint), store: store, name: name ?? clientID, initial: initial),
            origins: origins)
    }
}
