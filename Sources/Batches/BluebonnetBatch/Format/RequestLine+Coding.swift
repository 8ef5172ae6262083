// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

extension RequestLine: FieldCodable {
    /// The fields of a line.
    enum Name: String, CaseIterable {
        case id, url, method, headers, query, json, form, plist, text, file, multipart, after, output, expect
        case timeout, connectTimeout, idleTimeout, maxBody, redirects, priority, credential, security, proxy
        case httpVersion, unixSocket, resolve, retry, idempotencyKey, unique, script, decode, cache
        case paginate, each, extract, rows, until, stream, maxItems, remember
        case assertions = "assert"
    }

    private static let pipelineNames = Pipeline.Name.allCases.compactMap { Name(rawValue: $0.rawValue) }
    private static let bodyNames = Body.Name.allCases.compactMap { Name(rawValue: $0.rawValue) }

    init(_ field: StrictField) throws(RequestLineError) {
        let fields = try field.object(of: Name.self)
        self.init(url: try fields.required(.url).string())
        id = try fields[.id]?.identifier()
        method = try fields[.method]?.string() ?? method
        headers = try fields[.headers].map { names throws(RequestLineError) in try Self.headers(names) } ?? headers
        query = try fields[.query]?.members()
        let hasBody = Self.bodyNames.contains { fields[$0] != nil }
        if hasBody { body = try Body.read(fields.group(Body.Name.self)) }  // rare: spares most lines a second look-up
        after = try fields[.after]?.each { id throws(RequestLineError) in try id.identifier() } ?? after
        output = try fields[.output]?.string()
        expect = try fields[.expect].map { expect throws(RequestLineError) in try Expectation(expect) }
        try readLimits(fields)
        decode = try fields[.decode]?.bool()
        cache = try fields[.cache]?.choice()
        priority = try fields[.priority]?.choice() ?? priority
        credential = try fields[.credential].map { pair throws(RequestLineError) in try Credential(pair) }
        security = try fields[.security].map { policy throws(RequestLineError) in try Security(policy) }
        proxy = try fields[.proxy]?.string()
        httpVersion = try fields[.httpVersion]?.choice(among: HTTPProtocolVersion.named) ?? httpVersion
        unixSocket = try fields[.unixSocket]?.string()
        resolve = try fields[.resolve].map { hosts throws(RequestLineError) in try Self.addresses(hosts) } ?? resolve
        retry = try fields[.retry].map { rule throws(RequestLineError) in try Retry(rule) }
        idempotencyKey = try fields[.idempotencyKey].map { key throws(RequestLineError) in try Key(key) }
        unique = try fields[.unique]?.string()
        script = try fields[.script]?.each { step throws(RequestLineError) in try ScriptStep(step) } ?? script
        if Self.pipelineNames.contains(where: { fields[$0] != nil }) {
            pipeline = try Pipeline.read(fields.group(Pipeline.Name.self))
            try checkPipeline()
        }
        if let keyProblem { throw RequestLineError(at: FieldPath.top.member(Name.unique.rawValue), keyProblem) }
    }

    private mutating func readLimits(_ fields: StrictObject<Name>) throws(RequestLineError) {
        timeout = try fields[.timeout]?.positiveSeconds()
        connectTimeout = try fields[.connectTimeout]?.positiveSeconds()
        idleTimeout = try fields[.idleTimeout]?.positiveSeconds()
        maxBody = try fields[.maxBody]?.integer(in: 0...Int.max)
        redirects = try fields[.redirects]?.integer(in: 0...Int.max) ?? redirects
    }

    /// Reads headers. Two names that differ only in case are an error, because either value could be meant.
    private static func headers(_ field: StrictField) throws(RequestLineError) -> HeaderFields {
        let headers = try field.stringMembers()
        var seen: Set<ByteString> = []
        for (name, _) in headers where !seen.insert(ByteString(name.lowercasedASCII)).inserted {
            throw RequestLineError(at: field.path.member(name), "duplicate header; header names are case-insensitive")
        }
        let key = headers.first { FieldSyntax.isSameName($0.name, HeaderFields.idempotencyKeyName) }
        if let key, FieldSyntax.isBlank(key.value) {
            throw RequestLineError(at: field.path.member(key.name), Key.blankProblem)
        }
        return HeaderFields(headers)
    }

    /// Reads addresses by host. Two spellings of one host are an error, because either address could be meant.
    private static func addresses(_ field: StrictField) throws(RequestLineError) -> [String: String] {
        var (addresses, seen) = ([String: String](), Set<String>())
        for (host, address) in try field.stringMembers() {
            guard seen.insert(HostName.normalized(host)).inserted else {
                throw RequestLineError(at: field.path.member(host), "duplicate host, in another spelling")
            }
            addresses[host] = address
        }
        return addresses
    }

    /// The line as one compact JSON text. Equal lines have equal texts.
    package var canonicalText: String { JSONText.text(of: jsonValue) }

    var jsonValue: JSONValue {
        let defaults = RequestLine(url: "")
        var members = MemberList<Name>()
        members.set(.id, id)
        members.set(.url, url)
        members.set(.method, method, unless: defaults.method)
        members.set(.headers, headers.isEmpty ? nil : headers.members)
        members.set(.query, query)
        if let body { members.add(body.members) }
        members.set(.after, after, unless: defaults.after)
        members.set(.output, output)
        members.set(.expect, expect)
        members.set(.timeout, timeout)
        members.set(.connectTimeout, connectTimeout)
        members.set(.idleTimeout, idleTimeout)
        members.set(.maxBody, maxBody)
        members.set(.redirects, redirects, unless: defaults.redirects)
        members.set(.priority, priority, unless: defaults.priority)
        members.set(.credential, credential)
        members.set(.security, security)
        members.set(.proxy, proxy)
        members.set(.httpVersion, httpVersion, unless: defaults.httpVersion)
        members.set(.unixSocket, unixSocket)
        members.set(.resolve, resolve, unless: defaults.resolve)
        members.set(.retry, retry)
        members.set(.idempotencyKey, idempotencyKey)
        members.set(.unique, unique)
        members.set(.script, script, unless: defaults.script)
        members.set(.decode, decode)
        members.set(.cache, cache)
        if let pipeline { members.add(pipeline.members) }
        return members.jsonValue
    }
}

extension HeaderFields {
    /// The fields as members of an object; repeated fields are joined.
    fileprivate var members: JSONObject {
        var members = JSONObject()
        for field in combined { members[field.name] = .string(field.value) }
        return members
    }
}

extension CachePolicy: JSONRepresentable {}

extension HTTPProtocolVersion: JSONRepresentable {
    /// The versions that a line can name. The default has no name in the format.
    fileprivate static let named = [HTTPProtocolVersion.http1, .http2, .http2PriorKnowledge]
}
