// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// The header fields of a curl command.
struct CurlHeaders {
    /// The content codings that every build of the library decodes.
    private static let decoded: Set = ["gzip", "x-gzip", "deflate", "identity", "*"]
    /// The fields that the client sets, so that a copied value could only be wrong.
    private static let ownNames = ["Connection", "Content-Length", "Keep-Alive", "Proxy-Connection"]

    private var fields = HeaderFields()
    private var cookies: [String] = []
    private var removed: [String] = []
    /// Whether curl asks for content codings and decodes them.
    var isCompressed = false

    /// Whether a field was removed with `-H 'NAME:'`.
    func removes(_ name: String) -> Bool { removed.contains { FieldSyntax.isSameName($0, name) } }

    mutating func apply(_ item: CurlArguments.Item) throws(ConversionError) {
        switch item.option {
        case .userAgent: set("User-Agent", item.value)
        case .referer:
            guard !item.value.hasSuffix(";auto") else { throw item.error("a line does not set it after redirects") }
            set("Referer", item.value)
        case .bearer: set("Authorization", "Bearer " + item.value)
        case .range: set("Range", "bytes=" + item.value)
        case .cookie:
            guard item.value.contains("=") else { throw item.error("a file of cookies: write NAME=VALUE") }
            cookies.append(item.value)
        default: try addField(item)
        }
    }

    /// Adds a field of `-H`: `Name: value`, `Name;` for an empty value, `Name:` to remove one that curl would send.
    private mutating func addField(_ item: CurlArguments.Item) throws(ConversionError) {
        guard !item.value.hasPrefix("@") else { throw item.error("a file of header fields: write each field") }
        let parts = item.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var (name, value) = (parts[0], parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        if parts.count == 1 {
            guard name.hasSuffix(";") else { throw item.error("expected 'NAME: VALUE'") }
            name.removeLast()
        } else if value.isEmpty {
            removed.append(name)
            fields.removeAll { FieldSyntax.isSameName($0.name, name) }
            return
        }
        do throws(NetworkingError) {
            try RequestCheck.field(name: name, value: value)
        } catch {
            throw item.error(error.message)
        }
        if !Self.ownNames.contains(where: { FieldSyntax.isSameName($0, name) }) { fields.add(name: name, value: value) }
    }

    private mutating func set(_ name: String, _ value: String) { fields[name] = value.isEmpty ? nil : value }

    /// Adds the fields to a line.
    func apply(to line: inout RequestLine) {
        var fields = fields
        if !cookies.isEmpty { fields.add(name: "Cookie", value: cookies.joined(separator: "; ")) }
        if let codings = fields["Accept-Encoding"] {
            if !isCompressed {
                line.decode = false
            } else if !codings.split(separator: ",").allSatisfy({ Self.decoded.contains(Self.coding($0)) }) {
                // The client asks for the codings that it decodes.
                fields["Accept-Encoding"] = nil
            }
        }
        line.headers = HeaderFields(fields.combined)
    }

    private static func coding(_ text: Substring) -> String {
        text.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercasedASCII
    }
}
