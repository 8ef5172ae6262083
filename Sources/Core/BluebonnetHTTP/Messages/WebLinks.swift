// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The links in the `Link` fields of a response (RFC 8288), in order: for instance to other pages.
///
/// ```swift
/// var page: Response<[User]>? = try await manager.get("users", as: [User].self)
/// while let next = page?.links["next"] { page = try await manager.get(next, as: [User].self) }
/// ```
///
/// The server chooses the URLs: a call to a link sends the manager's header fields to its host.
///
/// Malformed links are ignored, and so are links of other resources (with an `anchor` parameter).
public struct WebLinks: Sendable, Hashable {
    /// A link.
    public struct Link: Sendable, Hashable {
        /// The absolute URL of the target; a relative target is resolved against the URL of the response.
        public let url: URL
        /// The relation types, for instance `next`, in lower case unless they are URLs.
        public let relations: [String]
        /// The other parameters, with names in lower case, for instance `title` or `type`. If a name occurs several
        /// times, the first value is kept.
        public let parameters: [String: String]
    }

    private let links: [Link]

    /// Parses the links of `Link` fields.
    ///
    /// - Parameters:
    ///   - values: the values of the fields, each with one or more links.
    ///   - url: the URL of the response.
    public init(_ values: [String], of url: URL) {
        links = values.flatMap { value in
            var reader = LinkReader(value)
            return reader.links(of: url)
        }
    }

    /// The URL of the first link with a relation type, for instance `next`; nil if there is none. Case is ignored.
    public subscript(relation: String) -> URL? { first { $0.has(relation) }?.url }
}

extension WebLinks.Link {
    /// Returns whether the link has a relation type. Case is ignored.
    public func has(_ relation: String) -> Bool { relations.contains { $0.lowercased() == relation.lowercased() } }
}

extension WebLinks.Link: CustomStringConvertible, CustomReflectable {
    /// The relations with the URL, without secrets.
    public var description: String { "\(relations.joined(separator: " ")): \(Redaction.url(url.absoluteString))" }

    /// A mirror without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["link": description]) }
}

extension WebLinks: RandomAccessCollection {
    public var startIndex: Int { links.startIndex }
    public var endIndex: Int { links.endIndex }
    public subscript(position: Int) -> Link { links[position] }
}

extension WebLinks: CustomStringConvertible {
    /// The relations with their URLs, without secrets.
    public var description: String { "[" + links.map(\.description).joined(separator: ", ") + "]" }
}

extension ResponseHead {
    /// The links of the response's `Link` fields.
    public var links: WebLinks { WebLinks(headers.values(for: "Link"), of: url) }
}

/// Parses a field value (RFC 8288, B.2).
private struct LinkReader {
    private var rest: Substring.UTF8View

    init(_ value: String) { rest = value[...].utf8 }

    mutating func links(of base: URL) -> [WebLinks.Link] {
        var links: [WebLinks.Link] = []
        while skipToTarget() {
            let target = String(Substring(consume { $0 != UInt8(ascii: ">") }))
            guard rest.popFirst() != nil else { break }
            let parameters = parameters()
            if let link = WebLinks.Link(target, parameters, of: base) { links.append(link) }
        }
        return links
    }

    private mutating func skipToTarget() -> Bool {
        consume { $0 != UInt8(ascii: "<") }
        return rest.popFirst() != nil
    }

    /// Parses the parameters up to the comma before the next link.
    private mutating func parameters() -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        while true {
            consume { Self.isBlank($0) || $0 == UInt8(ascii: ";") }
            guard let next = rest.first, next != UInt8(ascii: ",") else { return parameters }
            let name = Substring(FieldSyntax.trimmed(consume { !"=;,".utf8.contains($0) })).lowercased()
            guard rest.first == UInt8(ascii: "=") else {
                parameters.append((name, ""))
                continue
            }
            rest.removeFirst()
            consume(while: Self.isBlank)
            parameters.append((name, value()))
        }
    }

    /// Parses a quoted string, or the text before the next separator.
    private mutating func value() -> String {
        guard rest.first == UInt8(ascii: "\"") else {
            return String(Substring(FieldSyntax.trimmed(consume { !";,".utf8.contains($0) })))
        }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if let escaped = rest.popFirst() { bytes.append(escaped) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @discardableResult
    private mutating func consume(while isPart: (UInt8) -> Bool) -> Substring.UTF8View {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return part
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension WebLinks.Link {
    fileprivate init?(_ target: String, _ parameters: [(name: String, value: String)], of base: URL) {
        func first(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        guard let relations = first("rel"), let url = URLText.url(target, relativeTo: base) else { return nil }
        if let anchor = first("anchor"), URLText.url(anchor, relativeTo: base) != URLText.url("", relativeTo: base) {
            return nil
        }
        self.url = url
        self.relations = relations.split(whereSeparator: { $0 == " " || $0 == "\t" }).map {
            $0.contains(":") ? String($0) : $0.lowercased()
        }
        let others = parameters.filter { !["rel", "anchor"].contains($0.name) && !$0.name.isEmpty }
        self.parameters = Dictionary(others.map { ($0.name, $0.value) }) { first, _ in first }
    }
}
