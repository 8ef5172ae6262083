// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

extension RequestLine.Expectation: FieldCodable {
    enum Name: String, CaseIterable {
        case status, type, sha256
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        status = try fields[.status]?.eachOfSome { code throws(RequestLineError) in try code.integer(in: 100...999) }
        type = try fields[.type]?.eachOfSome { type throws(RequestLineError) in try type.string() }
        sha256 = try fields[.sha256].map { digest throws(RequestLineError) in try Self.digest(digest) }
    }

    /// Reads a digest, or a template for a digest, which can be checked only after its references are resolved.
    private static func digest(_ field: StrictField) throws(RequestLineError) -> String {
        let text = try field.string()
        if text.utf8.count == 64, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) { return text }
        let template = try ReferenceTemplate(parsing: text, field: field.path.description)
        guard !template.references.isEmpty else {
            throw field.problem("expected 64 hexadecimal digits, found \(JSONText.quoted(text))")
        }
        return text
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        members.set(.status, status)
        members.set(.type, type)
        members.set(.sha256, sha256)
        return members.jsonValue
    }
}

extension RequestLine.Credential: FieldCodable {
    enum Name: String, CaseIterable {
        case user, password
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        user = try fields.required(.user).string()
        password = try fields.required(.password).string()
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        members.set(.user, user)
        members.set(.password, password)
        return members.jsonValue
    }
}

extension RequestLine.Security: FieldCodable {
    enum Name: String, CaseIterable {
        case mode, pins, ca, allowInvalidCertificates, validatesHost, clientCertificate, clientKey
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        mode = try fields[.mode]?.choice()
        pins = try fields[.pins]?.strings()
        ca = try fields[.ca]?.string()
        allowInvalidCertificates = try fields[.allowInvalidCertificates]?.bool()
        validatesHost = try fields[.validatesHost]?.bool()
        clientCertificate = try fields[.clientCertificate]?.string()
        clientKey = try fields[.clientKey]?.string()
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        members.set(.mode, mode)
        members.set(.pins, pins)
        members.set(.ca, ca)
        members.set(.allowInvalidCertificates, allowInvalidCertificates)
        members.set(.validatesHost, validatesHost)
        members.set(.clientCertificate, clientCertificate)
        members.set(.clientKey, clientKey)
        return members.jsonValue
    }
}

extension RequestLine.Retry: FieldCodable {
    enum Name: String, CaseIterable {
        case attempts, maxTime, statuses
    }

    init(_ field: StrictField) throws(RequestLineError) {
        self.init()
        guard field.value.object != nil else {
            guard field.value.number != nil else { throw field.expected("an integer or an object") }
            attempts = try field.integer(in: 1...Int.max)
            return
        }
        let fields = try field.object(of: Name.self)
        attempts = try fields[.attempts]?.integer(in: 1...Int.max)
        maxTime = try fields[.maxTime]?.positiveSeconds()
        statuses = try fields[.statuses]?.eachOfSome { code throws(RequestLineError) in
            try code.integer(in: 100...999)
        }
    }

    /// The number of attempts alone, if nothing else is set; else an object.
    var jsonValue: JSONValue {
        if let attempts, maxTime == nil, statuses == nil { return attempts.jsonValue }
        var members = MemberList<Name>()
        members.set(.attempts, attempts)
        members.set(.maxTime, maxTime)
        members.set(.statuses, statuses)
        return members.jsonValue
    }
}

extension RequestLine.Key: FieldCodable {
    init(_ field: StrictField) throws(RequestLineError) {
        if field.value.bool == true {
            self = .automatic
        } else if let text = field.value.string {
            guard !FieldSyntax.isBlank(text) else { throw field.problem(Self.blankProblem) }
            self = .value(text)
        } else {
            throw field.expected("true or a string")
        }
    }

    /// The error message for a blank key, by which a server cannot recognize a request.
    static let blankProblem = "an idempotency key must not be blank"

    var jsonValue: JSONValue {
        switch self {
        case .automatic: .bool(true)
        case .value(let text): .string(text)
        }
    }
}

extension RequestLine.ScriptStep: FieldCodable {
    enum Name: String, CaseIterable {
        case at
        case action = "do"
    }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        at = try fields.required(.at).secondsFromZero()
        action = try fields.required(.action).choice()
    }

    var jsonValue: JSONValue {
        var members = MemberList<Name>()
        members.set(.at, at)
        members.set(.action, action)
        return members.jsonValue
    }
}
