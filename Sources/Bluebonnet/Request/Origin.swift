// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Scheme, host and port: what credentials and headers belong to, and what connections are counted by.
struct Origin: Sendable, Hashable {
    /// `http` or `https`, in lower case.
    let scheme: String
    /// The host in lower case, an IPv6 address in its brackets.
    let host: String
    /// The port, written or implied by the scheme.
    let port: Int

    /// The origin of an http or https URL; nil for any other.
    init?(_ url: URL) {
        let text = URLText(url.absoluteString)
        scheme = text.scheme?.lowercased() ?? ""
        host = text.host.lowercased()
        guard scheme == "http" || scheme == "https", !host.isEmpty else { return nil }
        let implied = scheme == "http" ? 80 : 443
        guard let written = text.port, !written.isEmpty else {
            port = implied
            return
        }
        guard let port = Int(written) else { return nil }
        self.port = port
    }
}

extension Origin: CustomStringConvertible {
    var description: String { "\(scheme)://\(host):\(port)" }
}
