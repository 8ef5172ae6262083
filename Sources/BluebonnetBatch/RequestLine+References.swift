// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

extension RequestLine {
    /// A reference's id and the field that it stands in.
    struct Mention {
        let id: String
        let path: FieldPath
    }

    /// The ids that the string values of the line refer to, each once, in the order of the fields.
    public func referencedIDs() throws(RequestLineError) -> [String] {
        var seen: Set<String> = []
        return try referencedMentions().map(\.id).filter { seen.insert($0).inserted }
    }

    /// The line with the references in all its string values replaced, and `$${` turned into `${`.
    ///
    /// Every line goes through this once, just before its operation starts, also one without references.
    ///
    /// - Throws: `unresolvedReference`, for the first reference that leads nowhere.
    public func resolved(using source: (String) -> ReferenceSource?) throws(NetworkingError) -> RequestLine {
        guard mayHoldReferences else { return self }
        var line = self
        try line.replaceStrings { text, path throws(NetworkingError) in
            let template: ReferenceTemplate?
            do throws(RequestLineError) {
                template = try Self.template(text, at: path)
            } catch {
                throw NetworkingError(.unresolvedReference, error.description)
            }
            return try template?.resolved(using: source) ?? text
        }
        return line
    }

    /// All references of the line, with their fields.
    func referencedMentions() throws(RequestLineError) -> [Mention] {
        guard mayHoldReferences else { return [] }
        var mentions: [Mention] = []
        var line = self
        try line.replaceStrings { text, path throws(RequestLineError) in
            if let template = try Self.template(text, at: path) {
                mentions += template.referencedIDs.map { Mention(id: $0, path: path) }
            }
            return text
        }
        return mentions
    }

    /// False when no string of the line has to be looked at more closely, as in most lines: little is said in them.
    private var mayHoldReferences: Bool {
        guard headers.isEmpty, query == nil, body == nil, expect == nil, credential == nil, security == nil,
            proxy == nil, unixSocket == nil, resolve.isEmpty
        else { return true }
        if ReferenceTemplate.isNeeded(for: url) || ReferenceTemplate.isNeeded(for: method) { return true }
        return output.map(ReferenceTemplate.isNeeded) ?? false
    }

    /// The template in `text`, or nil when the text is all literal.
    static func template(_ text: String, at path: FieldPath) throws(RequestLineError) -> ReferenceTemplate? {
        guard ReferenceTemplate.isNeeded(for: text) else { return nil }
        return try ReferenceTemplate(parsing: text, field: path.description)
    }
}
