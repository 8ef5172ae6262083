// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet

extension RequestLine {
    /// The body of a request; each case is one field of the line.
    public enum Body: Sendable, Hashable, Codable {
        /// Any JSON value.
        case json(JSONValue)
        /// Parameters, sent as a URL-encoded form.
        case form(JSONObject)
        /// A value, sent as a property list.
        case plist(JSONValue)
        /// Text, sent unchanged.
        case text(String)
        /// The path of a file, streamed from disk.
        case file(String)
        /// The parts of a `multipart/form-data` body.
        case multipart([Part])
    }

    /// One part of a `multipart/form-data` body.
    public struct Part: Sendable, Hashable, Codable {
        /// The name of the form field.
        public var name: String
        /// The content of the part.
        public var content: Content

        /// The content of a part.
        public enum Content: Sendable, Hashable {
            /// Text.
            case value(String)
            /// The file at `path`. `filename` and `contentType` are announced; nil derives them from the path.
            case file(path: String, filename: String?, contentType: String?)
        }

        /// Makes a part.
        public init(name: String, content: Content) {
            self.name = name
            self.content = content
        }
    }
}

// MARK: - Reading and writing

extension RequestLine.Body: FieldCodable {
    enum Name: String, CaseIterable {
        case json, form, plist, text, file, multipart
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let body = try Self.read(try field.object(of: Name.self))
        guard let body else { throw field.problem("a body is missing") }
        self = body
    }

    /// Reads the body among the members of a line; nil if there is none. Two bodies are an error.
    static func read(_ members: StrictObject<Name>) throws(RequestLineError) -> Self? {
        let given = Name.allCases.filter { members[$0] != nil }
        guard let name = given.first else { return nil }
        if given.count > 1 {
            let path = members.path.member(given[1].rawValue)
            throw RequestLineError(at: path, "a line can have only one body, but \"\(name)\" is also set")
        }
        let field = try members.required(name)
        switch name {
        case .json: return .json(field.value)
        case .form: return .form(try field.members())
        case .plist: return .plist(field.value)
        case .text: return .text(try field.string())
        case .file: return .file(try field.string())
        case .multipart:
            return .multipart(try field.each { part throws(RequestLineError) in try RequestLine.Part(part) })
        }
    }

    /// The body as a member of a line.
    var members: MemberList<Name> {
        var members = MemberList<Name>()
        switch self {
        case .json(let value): members.set(.json, value)
        case .form(let parameters): members.set(.form, parameters)
        case .plist(let value): members.set(.plist, value)
        case .text(let text): members.set(.text, text)
        case .file(let path): members.set(.file, path)
        case .multipart(let parts): members.set(.multipart, parts)
        }
        return members
    }

    var jsonValue: JSONValue { members.jsonValue }
}

extension RequestLine.Part: FieldCodable {
    enum Name: String, CaseIterable {
        case name, value, file, filename, contentType
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        name = try fields.required(.name).string()
        guard let path = try fields[.file]?.string() else {
            let value = try fields.required(.value).string()
            if let stray = fields[.filename] ?? fields[.contentType] { throw stray.problem("allowed for a file only") }
            content = .value(value)
            return
        }
        if let stray = fields[.value] { throw stray.problem("a part is a value or a file, not both") }
        let filename = try fields[.filename]?.string()
        content = .file(path: path, filename: filename, contentType: try fields[.contentType]?.string())
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        members.set(.name, name)
        switch content {
        case .value(let text): members.set(.value, text)
        case .file(let path, let filename, let contentType):
            members.set(.file, path)
            members.set(.filename, filename)
            members.set(.contentType, contentType)
        }
        return members.jsonValue
    }
}
