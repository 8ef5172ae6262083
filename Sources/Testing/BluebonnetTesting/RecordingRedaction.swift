// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The secrets that a recording omits: values of header fields, of members of JSON, and of items of queries and forms.
///
/// ```swift
/// var redaction = RecordingRedaction.standard
/// redaction.names.insert("session")
/// redaction.change = { exchange in exchange.response?.headers.removeAll { $0.name == "X-Trace" } }
/// ```
/// Played requests are redacted before they are compared, so their secrets may differ from those in the recording.
public struct RecordingRedaction: Sendable {
    /// The names of header fields whose values are replaced, compared without regard to case.
    public var fields: Set<String>
    /// The names of members of JSON objects at any depth, and of items of queries and URL-encoded forms, whose values
    /// are replaced, compared without regard to case.
    public var names: Set<String>
    /// The text that replaces the values. Default `REDACTED`.
    public var replacement = "REDACTED"
    /// Makes further changes to an exchange, after the values are replaced. Called for played requests too, without a
    /// response. Default nil.
    public var change: (@Sendable (inout RecordedExchange) -> Void)?

    /// Makes a redaction of these names.
    public init(fields: Set<String> = [], names: Set<String> = []) {
        (self.fields, self.names) = (fields, names)
    }

    /// A redaction of credentials, cookies, tokens, keys and passwords under their usual names.
    public static let standard = RecordingRedaction(
        fields: [
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
            "X-Csrf-Token", "Authentication-Info",
        ],
        names: [
            "access_token", "refresh_token", "id_token", "token", "client_secret", "secret", "password", "passwd",
            "passphrase", "api_key", "apikey", "private_key", "assertion", "client_assertion", "signature", "code",
            "code_verifier",
        ])

    /// A redaction that replaces nothing.
    public static let none = RecordingRedaction()

    func apply(to exchange: RecordedExchange) -> RecordedExchange {
        let (fields, names) = (Set(fields.map { $0.lowercased() }), Set(names.map { $0.lowercased() }))
        var exchange = exchange
        exchange.request.url = redacted(url: exchange.request.url, names)
        redact(&exchange.request.headers, &exchange.request.body, fields, names)
        if var response = exchange.response {
            redact(&response.headers, &response.body, fields, names)
            exchange.response = response
        }
        change?(&exchange)
        return exchange
    }

    private func redact(
        _ headers: inout [RecordedField], _ body: inout RecordedBody?, _ fields: Set<String>, _ names: Set<String>
    ) {
        var isForm = false
        for index in headers.indices {
            let name = headers[index].name.lowercased()
            if fields.contains(name) { headers[index].value = replacement }
            if name == "location" { headers[index].value = redacted(url: headers[index].value, names) }
            if name == "content-type" { isForm = headers[index].value.hasPrefix("application/x-www-form-urlencoded") }
        }
        switch body {
        case .json(let value): body = .json(redacted(value, names))
        case .text(let text) where isForm: body = .text(redacted(items: text, names))
        case .text, .data, .empty, nil: break
        }
    }

    private func redacted(_ value: JSONValue, _ names: Set<String>) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.reduce(into: JSONObject()) { kept, member in
                    let isSecret = names.contains(member.key.lowercased())
                    kept[member.key] = isSecret ? .string(replacement) : redacted(member.value, names)
                })
        case .array(let elements): .array(elements.map { redacted($0, names) })
        default: value
        }
    }

    /// Returns a URL without its password and the values of secret items in its query.
    private func redacted(url: String, _ names: Set<String>) -> String {
        guard var parts = URLComponents(string: url) else { return url }
        if parts.password != nil { parts.percentEncodedPassword = replacement }
        parts.percentEncodedQuery = parts.percentEncodedQuery.map { redacted(items: $0, names) }
        return parts.string ?? url
    }

    private func redacted(items: String, _ names: Set<String>) -> String {
        let items = items.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            let plain = (name.removingPercentEncoding ?? String(name)).lowercased()
            return names.contains(plain) && name.count < item.count ? "\(name)=\(replacement)" : String(item)
        }
        return items.joined(separator: "&")
    }
}
