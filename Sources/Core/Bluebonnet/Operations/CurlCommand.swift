// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

extension URLRequest {
    /// Returns the `curl` command line that sends this request, for a POSIX shell: to paste into a terminal or a bug
    /// report.
    ///
    /// The command makes the first transfer only: it follows no redirects and sends no cookies from a jar. A body of up
    /// to 64 KiB is part of the command. A larger body or a stream has to be given on standard input, as a comment in
    /// the command says. A file is named by its path.
    ///
    /// - Parameters:
    ///   - options: the proxy, trust, addresses, time limits and credential of the operation.
    ///   - uploadFile: the file that is the body.
    ///   - includingSecrets: if false, the default, `REDACTED` replaces credentials: `Authorization`, `Cookie`, and
    ///     fields and query parameters whose names indicate a key, a token or a password; user information in the URL;
    ///     the passwords of the credential and the proxy; members of a JSON body and items of a URL-encoded form with
    ///     such names. Other bodies are left unchanged.
    public func curlCommand(
        options: TransferOptions = TransferOptions(), uploadFile: URL? = nil, includingSecrets: Bool = false
    ) -> String {
        CurlCommand(request: self, options: options, uploadFile: uploadFile, includesSecrets: includingSecrets).text
    }
}

extension RequestOperation {
    /// Returns the `curl` command line that sends the operation's request; nil before the request was made. After
    /// redirects it sends the last request.
    ///
    /// - Parameter includingSecrets: see `URLRequest.curlCommand(options:uploadFile:includingSecrets:)`.
    public func curlCommand(includingSecrets: Bool = false) -> String? {
        guard var request else { return nil }
        if let key = idempotencyKey { request.setValue(key.value, forHTTPHeaderField: HeaderFields.idempotencyKeyName) }
        let resolved = state.plan.options
        var options = resolved.value
        options.timeouts = resolved.timeouts(for: request)
        return request.curlCommand(options: options, uploadFile: uploadFile, includingSecrets: includingSecrets)
    }
}

/// Formats one request as a `curl` command line. It sends nothing and checks nothing.
struct CurlCommand {
    let request: URLRequest
    let options: TransferOptions
    let uploadFile: URL?
    let includesSecrets: Bool

    /// Larger bodies are not part of the command line: an operating system accepts 128 KiB for one argument.
    private static let inlineLimit = 64 * 1024

    /// The parts of the command line that give the body.
    private struct Body {
        var arguments: [String] = []
        /// A command that writes the body to standard input.
        var prefix = ""
        var comment: String?
    }

    var text: String {
        let body = self.body
        let words =
            ["curl"] + methodArguments(hasBody: !body.arguments.isEmpty) + headerArguments + body.arguments
            + connectionArguments + trustArguments + limitArguments + ["--globoff"]
            + (options.keepsDotSegments ? ["--path-as-is"] : []) + [url]
        let comments = [body.comment, trustComment].compactMap(\.self)
        let tail = comments.isEmpty ? "" : "  # " + comments.joined(separator: "; ")
        return body.prefix + words.map(Self.quoted).joined(separator: " ") + tail
    }

    /// Returns a word in shell quoting (POSIX, 2.2.2).
    static func quoted(_ word: String) -> String {
        let isPlain = { (byte: UInt8) in
            (0x61...0x7A).contains(FieldSyntax.lowercase(byte)) || (0x30...0x39).contains(byte)
                || "_@%+=:,./-".utf8.contains(byte)
        }
        if !word.isEmpty && word.utf8.allSatisfy(isPlain) { return word }
        // Compares literally: a quotation mark followed by a combining accent is a different `Character`, but the same
        // quotation mark for a shell.
        return "'" + word.replacingOccurrences(of: "'", with: "'\\''", options: .literal) + "'"
    }
}

// MARK: - The request

extension CurlCommand {
    private var method: String { request.httpMethod ?? "GET" }

    private func methodArguments(hasBody: Bool) -> [String] {
        switch (method, hasBody) {
        case ("HEAD", false): ["--head"]
        case ("GET", false): []
        case (_, _): ["--request", method]
        }
    }

    /// The URL that is sent: without dot segments, unless the options keep them; then `--path-as-is` makes curl keep
    /// them too.
    private var sentURL: String {
        guard let url = request.url else { return "" }
        let shorter = options.keepsDotSegments ? nil : DotSegments.removed(from: url)
        return (shorter ?? url).absoluteString
    }

    private var url: String {
        let text = sentURL.prefix { $0 != "#" }
        return includesSecrets ? String(text) : Redaction.url(String(text))
    }

    /// The header fields that are sent. `curl` would add default fields; an empty field suppresses a default.
    private var headerArguments: [String] {
        let headers = HTTPRequest(request)?.uncheckedSentHeaders ?? []
        var lines: [String] = []
        for field in headers.fields where !FieldSyntax.isSameName(field.name, "Content-Length") {
            let isHidden = !includesSecrets && Redaction.isSecret(field.name) && !field.value.isEmpty
            let value = isHidden ? Redaction.placeholder : field.value
            lines.append(FieldSyntax.isBlank(value) ? "\(field.name);" : "\(field.name): \(value)")
        }
        for name in ["Content-Type", "Expect"] where headers[name] == nil { lines.append("\(name):") }
        return lines.flatMap { ["--header", $0] } + ["--compressed"]
    }

    private var body: Body {
        if let uploadFile { return Body(arguments: fileArguments(uploadFile.path)) }
        if request.httpBodyStream != nil {
            return Body(
                arguments: ["--data-binary", "@-"], comment: "the body is a stream: pass it on standard input")
        }
        guard let data = shownBody, !data.isEmpty else {
            // Like the transport: an empty body is a body of length 0.
            return ["POST", "PUT", "PATCH"].contains(method) ? Body(arguments: ["--data-raw", ""]) : Body()
        }
        guard data.count <= Self.inlineLimit else {
            return Body(
                arguments: ["--data-binary", "@-"],
                comment: "the body of \(data.count) bytes is omitted: pass it on standard input")
        }
        if !data.contains(0), let text = String(validating: data, as: UTF8.self) {
            return Body(arguments: ["--data-raw", text])
        }
        return Body(
            arguments: ["--data-binary", "@-"],
            prefix: "printf %s \(data.base64EncodedString()) | base64 -d | ")
    }

    /// The body in memory, with the values of secret names redacted.
    private var shownBody: Data? {
        guard let data = request.httpBody, !includesSecrets else { return request.httpBody }
        return BodyRedaction.shown(data, contentType: request.value(forHTTPHeaderField: "Content-Type"))
    }

    /// Uploads the file as a stream. After a URL that ends in a slash, `curl --upload-file` would add the file's name
    /// to the URL, so `--data-binary` is used there.
    private func fileArguments(_ path: String) -> [String] {
        let target = URLText(sentURL).path
        return target.isEmpty || target.hasSuffix("/") ? ["--data-binary", "@" + path] : ["--upload-file", path]
    }
}

// MARK: - The connection

extension CurlCommand {
    private func hidden(_ secret: String) -> String { includesSecrets ? secret : Redaction.placeholder }

    private var connectionArguments: [String] {
        var words: [String] = []
        if let proxy = request.url.flatMap(Origin.init).flatMap(options.proxy(to:)) {
            words += ["--proxy", proxy.url, "--noproxy", ""]
            if let user = proxy.user { words += ["--proxy-user", "\(user):\(hidden(proxy.password ?? ""))"] }
        } else {
            words += ["--noproxy", "*"]  // the library does not read the environment either
        }
        if let path = options.unixSocketPath { words += ["--unix-socket", path] }
        let port = request.url.flatMap(Origin.init)?.port ?? 80
        for (host, address) in options.poolKey.addressOverrides.sorted(by: { $0.key < $1.key }) {
            words += ["--resolve", "\(host):\(port):\(address)"]
        }
        switch options.httpVersion {
        case .negotiated: break
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        case .http2PriorKnowledge: words.append("--http2-prior-knowledge")
        }
        if let credential, let user = credential.user {
            words += ["--anyauth", "--user", "\(user):\(hidden(credential.password ?? ""))"]
        }
        return words
    }

    /// The credential of the options, or of the netrc file for this request.
    private var credential: URLCredential? {
        guard let origin = request.url.flatMap(Origin.init) else { return options.credential }
        let hasOwn = request.value(forHTTPHeaderField: "Authorization") != nil || URLText(sentURL).userInfo != nil
        return options.defaultCredential(for: origin, hasOwn: hasOwn)
    }

    private var isSecure: Bool { request.url?.scheme?.lowercased() == "https" }

    /// The security policy for this request's host.
    private var policy: SecurityPolicy {
        options.securityPolicy.policy(forHost: request.url?.host ?? "") ?? options.securityPolicy
    }

    private var trustArguments: [String] {
        guard isSecure else { return [] }
        var words = tlsArguments
        if policy.allowInvalidCertificates || !policy.validatesDomainName { words.append("--insecure") }
        switch policy.authorities {
        case .system, .data, .nobody: break  // see `trustComment`
        case .file(let path): words += ["--cacert", path]
        case .directory(let path): words += ["--capath", path]
        }
        if policy.pinningMode == .publicKey {
            let pins = policy.pins.certificates.map(\.publicKeyPin) + policy.pins.keys + policy.pins.backupKeys
            words += [
                "--pinnedpubkey", pins.map { "sha256//" + $0.digest.base64EncodedString() }.joined(separator: ";"),
            ]
        }
        return words
    }

    private var tlsArguments: [String] {
        let tls = options.tls
        var words = ["--tlsv1.\(tls.minimumVersion.minor)"]
        if let version = tls.maximumVersion { words += ["--tls-max", "1.\(version.minor)"] }
        if !tls.ciphers.isEmpty { words += ["--ciphers", tls.ciphers.joined(separator: ":")] }
        if !tls.cipherSuites.isEmpty { words += ["--tls13-ciphers", tls.cipherSuites.joined(separator: ":")] }
        if tls.requiresStapledStatus { words.append("--cert-status") }
        return words + identityArguments
    }

    private var identityArguments: [String] {
        guard let identity = options.tls.clientIdentity else { return [] }
        var words: [String] = []
        switch identity.form {
        case .parts(certificate: .file(let certificate), let key):
            words += ["--cert", certificate]
            if case .file(let path)? = key { words += ["--key", path] }
        case .pkcs12(.file(let path)): words += ["--cert", path, "--cert-type", "P12"]
        case .parts(certificate: .data, _), .pkcs12(.data): return []
        }
        if let password = identity.password { words += ["--pass", hidden(password)] }
        return words
    }

    private var trustComment: String? {
        if policy.trustsNobody { return "the operation trusts no server and cannot connect" }
        guard isSecure else { return nil }
        switch policy.pinningMode {
        case .none: break
        case .publicKey: return "curl compares the pins only with the key of the server's own certificate"
        case .certificate: return "curl cannot compare certificates, so no pin is checked"
        }
        if !policy.validatesDomainName, !policy.allowInvalidCertificates {
            return "curl cannot check a certificate without its host name, so neither is checked"
        }
        guard case .data = policy.authorities, !policy.allowInvalidCertificates else { return nil }
        return "the operation's authorities are in memory: pass a file with --cacert"
    }

    private var limitArguments: [String] {
        let connect = options.timeouts.connect ?? Timeouts.usualConnect
        var words = connect > .zero ? ["--connect-timeout", seconds(connect)] : []
        if let total = options.timeouts.total, total > .zero { words += ["--max-time", seconds(total)] }
        if let limit = options.maximumBytesPerSecond { words += ["--limit-rate", String(limit)] }
        if let limit = options.lowSpeedLimit {
            let time = max(1, Int(min(limit.duration.seconds.rounded(.up), 1e9)))
            return words + ["--speed-limit", String(limit.bytesPerSecond), "--speed-time", String(time)]
        }
        let idle = options.timeouts.idle ?? Duration(clampingSeconds: request.timeoutInterval)
        if idle > .zero, idle < .seconds(Int(Int32.max)) {
            words += ["--speed-limit", "1", "--speed-time", String(max(1, Int(idle.seconds.rounded(.up))))]
        }
        return words
    }

    private func seconds(_ duration: Duration) -> String {
        let seconds = duration.seconds
        return seconds == seconds.rounded() && seconds < 1e9 ? String(Int(seconds)) : String(seconds)
    }
}
