// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// The words of the curl command for a request line, and comments about what curl cannot do.
struct CurlCommandLine {
    private(set) var words = ["curl"]
    private(set) var comments: [String] = []
    private let line: RequestLine

    /// - Parameters:
    ///   - line: the line with an absolute URL.
    ///   - references: the fields with references.
    init(_ line: RequestLine, references: [String]) {
        self.line = line
        for field in references { comments.append("the references in '\(field)' have no counterpart in curl") }
        addCommentsOnFields()
        addHeaders()
        let defaultMethod = addBody()
        addMethod(defaultMethod)
        addResponse()
        addConnection()
        addTrust()
        addLimits()
        if needsGlobOff { words.append("--globoff") }
        words.append(line.url)
    }

    private mutating func refuse(_ field: String) { comments.append("'\(field)' has no counterpart in curl") }

    private mutating func addCommentsOnFields() {
        if let id = line.id { comments.append("id \(JSONText.quoted(id))") }
        if !line.after.isEmpty { refuse("after") }
        if line.expect != nil { refuse("expect") }
        if line.priority != .normal { refuse("priority") }
        if line.idempotencyKey == .automatic { refuse("idempotencyKey") }
        if line.unique != nil { refuse("unique") }
        if !line.script.isEmpty { refuse("script") }
        if line.cache != nil { refuse("cache") }
        for field in line.pipeline?.fieldNames ?? [] { refuse(field) }
    }

    /// Whether curl would expand brackets in the URL, or in the path of an uploaded file. The brackets of an IPv6
    /// address do not count.
    private var needsGlobOff: Bool {
        let url = URLText(line.url)
        let upload = if case .file(let path)? = line.body { path } else { "" }
        return (url.remainder + upload).utf8.contains { "[]{}".utf8.contains($0) }
            || url.host.utf8.contains { "{}".utf8.contains($0) }
    }
}

// MARK: - The request

extension CurlCommandLine {
    private mutating func addHeaders() {
        for field in line.headers.combined {
            words += [
                "--header", FieldSyntax.isBlank(field.value) ? field.name + ";" : "\(field.name): \(field.value)",
            ]
        }
        if case .value(let key)? = line.idempotencyKey { words += ["--header", "Idempotency-Key: " + key] }
        if line.decode != false {
            words.append("--compressed")
        } else if line.headers["Accept-Encoding"] == nil {
            refuse("decode")
        }
    }

    private mutating func addMethod(_ defaultMethod: String) {
        if line.method == "HEAD", line.body == nil {
            words.append("--head")
        } else if !FieldSyntax.isSameText(line.method, defaultMethod) {
            words += ["--request", line.method]
        }
    }

    /// Adds the body and the query. Returns the method that curl then uses without `--request`.
    private mutating func addBody() -> String {
        addQuery()
        switch line.body {
        case .json(let value)?: return addText(JSONText.text(of: value), type: BodyText.jsonType)
        case .text(let text)?: return addText(text, type: BodyText.textType)
        case .form(let members)?: return addForm(members)
        case .file(let path)?:
            let target = URLText(line.url).path
            // After a URL that ends in a slash, curl would add the name of the file to the URL.
            if target.isEmpty || target.hasSuffix("/") {
                if line.headers["Content-Type"] == nil { words += ["--header", "Content-Type:"] }
                words += ["--data-binary", "@" + path]
                return "POST"
            }
            words += ["--upload-file", path == "-" || path == "." ? "./" + path : path]
            return "PUT"
        case .multipart(let parts)?:
            for (index, part) in parts.enumerated() { add(part, index) }
            return "POST"
        case .plist?:
            refuse("plist")
            return "GET"
        case nil: return "GET"
        }
    }

    private mutating func addQuery() {
        guard let query = line.query, !query.isEmpty else { return }
        guard let text = try? QueryEncoder().encode(query) else { return refuse("query") }
        words += line.body == nil ? ["--get", "--data-raw", text] : ["--url-query", "+" + text]
    }

    private mutating func addForm(_ members: JSONObject) -> String {
        guard let text = try? QueryEncoder().encode(members) else {
            refuse("form")
            return "GET"
        }
        words += ["--data-raw", text]
        return "POST"
    }

    private mutating func addText(_ text: String, type: String) -> String {
        guard !text.hasByte(0) else {
            refuse("text")
            return "GET"
        }
        if line.headers["Content-Type"] == nil { words += ["--header", "Content-Type: " + type] }
        words += ["--data-raw", text]
        return "POST"
    }

    private mutating func add(_ part: RequestLine.Part, _ index: Int) {
        guard !part.name.contains("=") else { return refuse("multipart[\(index)].name") }
        switch part.content {
        case .value(let text): words += ["--form-string", "\(part.name)=\(text)"]
        case .file(let path, let fileName, let contentType):
            let name = fileName.map { ";filename=" + Self.quoted($0) } ?? ""
            let type = contentType.map { ";type=" + $0 } ?? ""
            words += ["--form", "\(part.name)=@\(Self.quoted(path))\(name)\(type)"]
        }
    }

    /// Returns a path in the quotation marks of `--form`.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\", options: .literal)
            .replacingOccurrences(of: "\"", with: "\\\"", options: .literal)
        return "\"\(escaped)\""
    }
}

// MARK: - The response, the connection and limits

extension CurlCommandLine {
    private mutating func addResponse() {
        if line.redirects > 0 { words += ["--location", "--max-redirs", String(line.redirects)] }
        guard let output = line.output else { return }
        if FilePath.namesFolder(output) {
            words += ["--remote-name", "--remote-header-name"] + (output == "./" ? [] : ["--output-dir", output])
        } else {
            words += ["--output", output == "-" ? "./-" : output]
        }
    }

    private mutating func addConnection() {
        if let proxy = line.proxy { words += proxy.isEmpty ? ["--noproxy", "*"] : ["--proxy", proxy] }
        if let path = line.unixSocket { words += ["--unix-socket", path] }
        let url = URLText(line.url)
        let port =
            url.port.flatMap { $0.isEmpty ? nil : String($0) } ?? (url.scheme?.lowercased() == "https" ? "443" : "80")
        for (host, address) in line.resolve.sorted(by: { $0.key < $1.key }) {
            words += ["--resolve", "\(host):\(port):\(address)"]
        }
        switch line.httpVersion {
        case .negotiated: break
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        case .http2PriorKnowledge: words.append("--http2-prior-knowledge")
        }
        guard let credential = line.credential else { return }
        guard !credential.user.contains(":") else { return refuse("credential.user") }
        words += ["--anyauth", "--user", "\(credential.user):\(credential.password)"]
    }

    private mutating func addTrust() {
        guard let security = line.security else { return }
        if let mode = security.mode, mode != .none { refuse("security.mode") }
        if security.pins != nil { refuse("security.pins") }
        if let path = security.ca { words += ["--cacert", path] }
        switch (security.allowInvalidCertificates == true, security.validatesHost == false) {
        case (true, true): words.append("--insecure")
        case (true, false): refuse("security.allowInvalidCertificates")
        case (false, true): refuse("security.validatesHost")
        case (false, false): break
        }
        if let path = security.clientCertificate {
            let escaped = path.replacingOccurrences(of: "\\", with: "\\\\", options: .literal)
                .replacingOccurrences(of: ":", with: "\\:", options: .literal)
            words += ["--cert", escaped]
        }
        if let path = security.clientKey { words += ["--key", path] }
    }

    private mutating func addLimits() {
        add("--max-time", line.timeout, "timeout")
        add("--connect-timeout", line.connectTimeout, "connectTimeout")
        addWhole("--speed-time", line.idleTimeout, "idleTimeout")  // by default, less than one byte a second
        if let limit = line.maxBody { words += ["--max-filesize", String(limit)] }
        if let attempts = line.retry?.attempts { words += ["--retry", String(attempts - 1)] }
        if line.retry?.statuses != nil { refuse("retry.statuses") }
        addWhole("--retry-max-time", line.retry?.maxTime, "retry.maxTime")
    }

    private mutating func add(_ option: String, _ seconds: Double?, _ field: String) {
        guard let seconds else { return }
        let text = JSONNumber(seconds).text
        guard !text.contains("e") else { return refuse(field) }
        words += [option, text]
    }

    /// Adds a time for an option of curl without fractions.
    private mutating func addWhole(_ option: String, _ seconds: Double?, _ field: String) {
        guard let seconds else { return }
        guard seconds == seconds.rounded(), seconds < 1e9 else { return refuse(field) }
        words += [option, String(Int(seconds))]
    }
}
