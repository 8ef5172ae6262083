// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The name of the partition of a cache to which a request's responses belong: a digest of everything that separates
/// its user, its trust and its route from other requests.
enum CachePartition {
    /// Returns the part of the name that all requests with the same options share; empty for default options.
    static func shared(_ key: ConnectionPoolKey, _ credential: URLCredential?, decodesContent: Bool) -> String {
        var parts: [String] = []
        if key.securityPolicy != .default { parts += ["policy", json(key.securityPolicy)] }
        if let proxy = key.proxy { parts += ["proxy", proxy.url, proxy.user ?? "", json(proxy.securityPolicy)] }
        if let path = key.unixSocketPath { parts += ["socket", path.string] }
        for (host, address) in key.addressOverrides.sorted(by: { $0.key < $1.key }) { parts += ["at", host, address] }
        if key.tls != .default { parts += ["tls"] + text(of: key.tls) }
        if let credential { parts += ["user", credential.user ?? "", credential.password ?? ""] }
        if !decodesContent { parts.append("coded") }
        return digest(parts)
    }

    /// Returns the name for a request.
    ///
    /// - Parameters:
    ///   - shared: the part of the name that comes from the options.
    ///   - headers: the fields that are sent.
    static func name(_ shared: String, _ headers: HeaderFields) -> String {
        let own = ["Authorization", "Cookie"].filter { headers.contains(name: $0) }
        guard !own.isEmpty else { return shared }
        return digest([shared] + own.flatMap { [$0] + headers.values(for: $0) })
    }

    private static func digest(_ parts: [String]) -> String {
        guard !parts.isEmpty else { return "" }
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return MessageDigest.hexadecimalDigest(of: Data(text.utf8))
    }

    private static func json(_ policy: SecurityPolicy) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(policy)).map { String(decoding: $0, as: UTF8.self) } ?? "\(policy)"
    }

    private static func text(of tls: TLSOptions) -> [String] {
        var parts = ["\(tls.minimumVersion)", tls.maximumVersion.map { "\($0)" } ?? ""] + tls.ciphers + ["suites"]
        parts += tls.cipherSuites + ["\(tls.requiresStapledStatus)"]
        guard let identity = tls.clientIdentity else { return parts }
        switch identity.form {
        case .parts(let certificate, let key): parts += ["parts"] + [certificate, key].compactMap { $0 }.map(text(of:))
        case .pkcs12(let source): parts += ["pkcs12", text(of: source)]
        }
        return parts
    }

    private static func text(of source: ClientIdentity.Source) -> String {
        switch source {
        case .file(let path): "file " + path
        case .data(let data): "data " + MessageDigest.hexadecimalDigest(of: data)
        }
    }
}
