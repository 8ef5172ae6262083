// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The certificate of a server, valid or invalid.
package enum Identity: String, CaseIterable, Sendable {
    case good
    case goodByAddress
    case goodWithIntermediate
    case expired
    case notYetValid
    case otherHost
    case selfSigned
    case untrustedRoot
    case withoutIntermediate
    case expiredIntermediate
    case forbiddenByConstraints
    case issuedByServer
    case commonNameOnly
    case addressAsName
    case addressAsCommonName
    case clientsOnly
    case unknownCriticalExtension

    /// The host in the server's URLs.
    package var host: String {
        switch self {
        case .goodByAddress, .addressAsName, .addressAsCommonName: "127.0.0.1"
        default: "localhost"
        }
    }
}
