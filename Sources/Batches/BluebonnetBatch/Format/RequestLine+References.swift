// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

extension RequestLine {
    /// A referenced id and the field that contains the reference.
    struct Mention {
        let id: String
        let path: FieldPath
    }

    /// A reference and the field that contains it.
    struct PlacedReference {
        let reference: ReferenceTemplate.Reference
        let path: FieldPath
    }

    /// Returns the ids that the line's string values refer to, each once, in the order of the fields.
    public func referencedIDs() throws(RequestLineError) -> [String] {
        try referencedMentions().map(\.id).uniqueTexts
    }

    /// Returns the line with the references in all string values replaced, and `$${` replaced by `${`.
    ///
    /// This runs once for every line, with or without references, just before its operation starts.
    ///
    /// - Parameters:
    ///   - environment: the environment variables, by name. Default none.
    ///   - source: returns the response of the operation with an id.
    /// - Throws: `unresolvedReference`, for the first reference that cannot be resolved; `cannotOpenFile`, if a value
    ///   that is inserted in `output` contains a slash or NUL, or makes an empty component, `.` or `..`;
    ///   `cannotReadFile`, if a value of a response or of the state file does so in the path of a file that is sent.
    public func resolved(
        environment: [String: String] = [:], using source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> RequestLine {
        try resolved(environment: environment, variables: LineVariables(), using: source)
    }

    func resolved(
        environment: [String: String], variables: LineVariables, using source: (String) -> ReferenceSource?
    ) throws(NetworkingError) -> RequestLine {
        guard mayContainReferences else { return self }
        var line = self
        try line.replaceStrings { text, path throws(NetworkingError) in
            guard let template = try Self.usableTemplate(text, self.elementName, at: path) else { return text }
            guard let field = Self.pathField(path) else {
                return try template.resolved(environment: environment, variables: variables, using: source)
            }
            // A row of the caller's own file may name the files to send.
            let rowName = path == Self.outputPath ? nil : self.rowName
            return try template.resolvedPath(
                in: field, rowName: rowName, environment: environment, variables: variables, using: source)
        }
        return line
    }

    /// The name by which the line refers to its element; nil for a line without `each`.
    var elementName: String? { boxedPipeline?.value.each?.name }

    /// The name of the element if it is a row of a file; nil if it comes from a response.
    private var rowName: String? {
        guard let each = boxedPipeline?.value.each, case .file = each.source else { return nil }
        return each.name
    }

    /// Returns the line with `$${` for each `${` in its string values, so that they are sent as they are here.
    package func escapingReferences() -> RequestLine {
        guard mayContainReferences else { return self }
        var line = self
        line.replaceStrings { text, _ in text.replacingOccurrences(of: "${", with: "$${", options: .literal) }
        return line
    }

    /// Returns the line with `${` for each `$${`, except in string values with references, which stay as written. Also
    /// returns the fields with references.
    ///
    /// - Throws: the error of the first string that is not a template.
    package func unescapingReferences() throws(RequestLineError) -> (line: RequestLine, fields: [String]) {
        guard mayContainReferences else { return (self, []) }
        var (line, fields) = (self, [String]())
        try line.replaceStrings { text, path throws(RequestLineError) in
            guard let parts = try Self.template(text, self.elementName, at: path)?.parts else { return text }
            if parts.count == 1, case .literal(let literal) = parts[0] { return literal }
            fields.append(path.description)
            return text
        }
        return (line, fields)
    }

    /// Returns the line with those common headers added that it does not set itself. Values of added headers may refer
    /// to environment variables.
    ///
    /// - Throws: `unresolvedReference`, for the first reference of an added header that cannot be resolved.
    func completed(
        with headers: HeaderFields, environment: [String: String]
    ) throws(NetworkingError) -> RequestLine {
        guard !headers.isEmpty else { return self }
        var line = self
        let path = FieldPath.top.member(Name.headers.rawValue)
        for field in headers where !self.headers.contains(name: field.name) {
            let template = try Self.usableTemplate(field.value, nil, at: path.member(field.name))
            let value = try template?.resolved(environment: environment) { _ in nil }
            line.headers.add(name: field.name, value: value ?? field.value)
        }
        return line
    }

    /// The field whose value is the path of a file that is written.
    private static let outputPath = FieldPath.top.member(Name.output.rawValue)

    /// The field at a place, if its value is the path of a file that is written or sent; else nil.
    private static func pathField(_ path: FieldPath) -> InsertedPath.Field? {
        if path == outputPath { return InsertedPath.Field(name: path.description, code: .cannotOpenFile) }
        let names: [String] = path.components.compactMap { if case .member(let name) = $0 { name } else { nil } }
        let part = [Name.multipart.rawValue, Part.Name.file.rawValue]
        guard names == [Name.file.rawValue] || names == part else { return nil }
        return InsertedPath.Field(name: path.description, code: .cannotReadFile)
    }

    /// Returns the template in `text`, or nil if `text` is all literal.
    ///
    /// - Throws: `unresolvedReference` for a text that is no template.
    private static func usableTemplate(
        _ text: String, _ elementName: String?, at path: FieldPath
    ) throws(NetworkingError) -> ReferenceTemplate? {
        do throws(RequestLineError) {
            return try template(text, elementName, at: path)
        } catch {
            throw NetworkingError(.unresolvedReference, error.description)
        }
    }

    /// The names of the environment variables that the line's strings refer to.
    var environmentNames: Set<String> {
        guard mayContainReferences else { return [] }
        var names: Set<String> = []
        var line = self
        line.replaceStrings { text, path in
            names.formUnion((try? Self.template(text, self.elementName, at: path))??.environmentNames ?? [])
            return text
        }
        return names
    }

    /// Returns the first field with a reference to the state file; nil without such a reference.
    func stateMention() throws(RequestLineError) -> FieldPath? {
        guard mayContainReferences else { return nil }
        var (line, mention) = (self, FieldPath?.none)
        try line.replaceStrings { text, path throws(RequestLineError) in
            if mention == nil, let template = try Self.template(text, self.elementName, at: path),
                template.refers(to: LineVariables.stateName)
            {
                mention = path
            }
            return text
        }
        return mention
    }

    /// Returns all references to other lines, in the order of the fields.
    func placedReferences() throws(RequestLineError) -> [PlacedReference] {
        guard mayContainReferences else { return [] }
        var found: [PlacedReference] = []
        var line = self
        try line.replaceStrings { text, path throws(RequestLineError) in
            if let template = try Self.template(text, self.elementName, at: path) {
                found += template.references.map { PlacedReference(reference: $0, path: path) }
            }
            return text
        }
        return found
    }

    /// Returns the ids of all references of the line, with their fields.
    func referencedMentions() throws(RequestLineError) -> [Mention] {
        try placedReferences().map { Mention(id: $0.reference.id, path: $0.path) }
    }

    /// False if no string of the line can contain a reference. This quick check covers most lines, which set few
    /// fields.
    private var mayContainReferences: Bool {
        guard headers.isEmpty, query == nil, body == nil, expect == nil, credential == nil, security == nil,
            proxy == nil, unixSocket == nil, resolve.isEmpty, idempotencyKey == nil, boxedPipeline == nil
        else { return true }
        if ReferenceTemplate.isNeeded(for: url) || ReferenceTemplate.isNeeded(for: method) { return true }
        return output.map(ReferenceTemplate.isNeeded) ?? false
    }

    /// Returns the template in `text`, or nil if `text` is all literal.
    static func template(
        _ text: String, _ elementName: String?, at path: FieldPath
    ) throws(RequestLineError) -> ReferenceTemplate? {
        guard ReferenceTemplate.isNeeded(for: text) else { return nil }
        return try ReferenceTemplate(parsing: text, field: path.description, elementName: elementName)
    }
}
