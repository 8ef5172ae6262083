// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

extension Proxy {
    /// Reads a proxy; nil unless `proxy.enabled` is true.
    init?(_ keys: ConfigurationKeys) throws(NetworkingError) {
        guard try keys.bool("proxy.enabled") == true else { return nil }
        let type = try keys.choice("proxy.type", of: ["http": "http", "socks": "socks5h", "https": "https"]) ?? "http"
        guard let host = try keys.string("proxy.host"), !host.isEmpty else {
            throw keys.refuse("proxy.host", "is missing, but the proxy is enabled")
        }
        guard !host.contains(where: { $0.isWhitespace || "@/?#\\".contains($0) }) else {
            throw keys.refuse("proxy.host", "is \"\(host)\", but must be a host name or an address")
        }
        let port = try keys.integer("proxy.port")
        if let port, port > 65_535 { throw keys.refuse("proxy.port", "is \(port), but must be at most 65535") }
        guard port != nil || type == "socks5h" else {
            throw keys.refuse("proxy.port", "is missing, but only SOCKS proxies have a default port, 1080")
        }
        if try keys.strings("proxy.connectHeaders")?.isEmpty == false {
            throw keys.refuse("proxy.connectHeaders", "has fields, but only the credential is sent to the proxy")
        }
        let credential = try Self.credential(keys).map { "\(Self.escaped($0)):\(Self.escaped($1))@" } ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        self = try keys.make("proxy.host") { () throws(NetworkingError) in
            try Proxy("\(type)://\(credential)\(name)" + (port.map { ":\($0)" } ?? ""))
        }
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static func credential(_ keys: ConfigurationKeys) throws(NetworkingError) -> (String, String)? {
        let scheme = "proxy.authorization.scheme"
        switch try keys.string(scheme) {
        case nil: return nil
        case "basic"?: break
        case let other?: throw keys.refuse(scheme, "is \"\(other)\", but only \"basic\" is supported")
        }
        if let user = try keys.string("proxy.authorization.username"),
            let password = try keys.string("proxy.authorization.password", isSecret: true)
        {
            return (user, password)
        }
        let key = "proxy.authorization.credentials"
        guard let encoded = try keys.string(key, isSecret: true) else {
            throw keys.refuse(scheme, "is \"basic\", but there is no user name with a password")
        }
        let text = Data(base64Encoded: encoded).flatMap { String(data: $0, encoding: .utf8) }
        guard let text, let colon = text.firstIndex(of: ":") else {
            throw keys.refuse(key, "is not Base64 of a user name, a colon and a password")
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
