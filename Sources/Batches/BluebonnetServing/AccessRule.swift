// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides who may read: requests with the token, or, without a token, requests for a host that no foreign name can be.
///
/// A browser keeps the credentials of HTTP's Basic scheme for an origin and sends them with every request, also for
/// server-sent events. So the token is in no URL, no cookie and no history.
package struct AccessRule: Sendable {
    /// The minimum number of bytes of a token.
    package static let minimumTokenByteCount = 16

    private let token: [UInt8]?

    /// - Parameter token: the token that requests need; nil lets every request for an IP address or `localhost` pass.
    package init(token: String? = nil) { self.token = token.map { Array($0.utf8) } }

    package enum Verdict: Sendable, Equatable {
        case allowed
        /// The token is missing or wrong.
        case unauthorized
        /// The host is a name that DNS may direct to this machine: a page of that name could read the response.
        case foreignHost
    }

    package func verdict(on request: ServedRequest) -> Verdict {
        guard let token else { return Self.isOwnHost(request.host) ? .allowed : .foreignHost }
        guard let sent = request.authorization.flatMap(Self.token(in:)) else { return .unauthorized }
        return Self.isEqual(sent, token) ? .allowed : .unauthorized
    }

    /// Whether a host is an IP address or `localhost`. DNS can direct any other name to this machine: then a page of
    /// that name has the same origin as the responder (DNS rebinding).
    private static func isOwnHost(_ host: String) -> Bool {
        var name = host[...]
        if let colon = name.lastIndex(of: ":"),
            name[colon...].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            !name.hasPrefix("[") || name[..<colon].hasSuffix("]")
        {
            name = name[..<colon]
        }
        return name == "localhost" || ServingAddress.isLiteral(name)
    }

    /// Returns the token of `Bearer TOKEN`, or the password of `Basic` credentials with any user name.
    private static func token(in authorization: String) -> [UInt8]? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let value = parts[1].drop { $0 == " " }
        switch parts[0].lowercased() {
        case "bearer": return Array(value.utf8)
        case "basic":
            guard let pair = Data(base64Encoded: String(value)), let colon = pair.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            return Array(pair[pair.index(after: colon)...])
        default: return nil
        }
    }

    /// Compares in a time that depends on the length of `sent` only.
    static func isEqual(_ sent: [UInt8], _ token: [UInt8]) -> Bool {
        guard !token.isEmpty else { return false }
        var difference = sent.count ^ token.count
        for index in sent.indices { difference |= Int(sent[index] ^ token[index % token.count]) }
        return difference == 0
    }
}
