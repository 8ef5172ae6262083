// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

extension CurlTransfer {
    /// Sets everything on the easy handle. Each option that guards a rule of ours is required: a libcurl that refuses
    /// one makes the transfer fail.
    func configure() throws(CurlError) {
        handle.transfer = self
        let setup = HandleSetup(request)
        if let setup, setup == handle.setup {
            try handle.setURL(request.urlText)
            try setBufferSize()
            try setSmallBody()
            return try setHeaders(fields, namingHost: false)
        }
        if handle.setup != nil { handle.reset() }
        try configureAfresh()
        handle.setup = setup
    }

    private func configureAfresh() throws(CurlError) {
        try setTarget()
        try setLimits()
        try setTrust()
        try setProxy()
        try setMethod()
        try setSmallBody()
        try setCookies()
        let namesHost = request.headers.contains { FieldSyntax.isSameName($0.name, "Host") }
        try setHeaders(fields, namingHost: namesHost)
        try setCallbacks()
        try watchHead()
        try partition.watchConnections(of: handle)
        try setContext()
    }

    private func setHeaders(_ fields: [HTTPHeaders.Field], namingHost: Bool) throws(CurlError) {
        try handle.setHeaders(fields, namingHost: namingHost) { headerLines(fields) }
    }

    /// For a server that refused the expectation.
    func leaveExpectationOut() throws(CurlError) {
        try setHeaders(fieldsWithoutExpectation, namingHost: handle.hasNamedHost)
    }

    /// The fields that go out: nothing is waited for where there is no body (RFC 9110, 10.1.1).
    private var fields: [HTTPHeaders.Field] {
        request.body.isEmpty && request.asksForContinue ? fieldsWithoutExpectation : request.headers
    }

    private var fieldsWithoutExpectation: [HTTPHeaders.Field] {
        request.headers.filter { !FieldSyntax.isSameName($0.name, TransferRequest.expectation) }
    }

    private func setTarget() throws(CurlError) {
        try handle.setURL(request.urlText)
        try handle.set(CURLOPT_PATH_AS_IS, true)  // whether dot segments stay was decided with the request
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_FOLLOWLOCATION, false)
        try handle.set(CURLOPT_HTTP_VERSION, request.httpVersion.curlValue)
        if request.httpVersion == .http2PriorKnowledge && !request.isSecure { try keepConnectionApart() }
        try handle.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        try handle.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        if let path = request.poolKey.unixSocketPath { try handle.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        guard !request.poolKey.addressOverrides.isEmpty else { return }
        let port = Origin(request.url)?.port ?? 0
        try handle.setResolveLines(request.poolKey.addressOverrides.map { "\($0.key):\(port):\($0.value)" })
    }

    /// Where HTTP/2 was not negotiated, libcurl 7.88 begins it anew on a connection that it uses again, which fails.
    private func keepConnectionApart() throws(CurlError) {
        guard !HTTP2Frames.areTold else { return }
        try handle.set(CURLOPT_FRESH_CONNECT, true)
        // Where a closed connection is evidence of an end that is none, it is kept until others need its place.
        if partition.endEvidence == .frames { try handle.set(CURLOPT_FORBID_REUSE, true) }
    }

    private func setLimits() throws(CurlError) {
        try handle.set(CURLOPT_NOSIGNAL, true)
        try handle.set(CURLOPT_QUICK_EXIT, true)
        // 0 would mean libcurl's own 300 s.
        let milliseconds = (request.limits.connectTimeout + 999_999) / 1_000_000
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds == 0 ? Int(Int32.max) : Int(min(milliseconds, 1 << 30)))
        try setBufferSize()
        try setSendingBufferSize()
    }

    /// How much libcurl sends at once of a body that it asks for. Over TLS it also copies every request into a buffer
    /// of that size, which the C library would give back to the system and take again for each.
    ///
    /// It is always set: curl_easy_reset (7.88) goes back to 64 KiB and keeps a buffer that may be smaller, which only
    /// setting the size lets go.
    private func setSendingBufferSize() throws(CurlError) {
        try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, request.sendingBufferByteCount)
    }

    /// Depends on what else is under way, so that it is chosen for each transfer.
    private func setBufferSize() throws(CurlError) {
        guard request.limits.expectsLargeBody else { return }
        try handle.setBufferSize(partition.largeBufferByteCount)
        readQuota.bufferByteCount = handle.bufferByteCount
    }

    private func setTrust() throws(CurlError) {
        let policy = request.poolKey.securityPolicy
        // Before 8.3, libcurl puts its own cache of authorities over ours, after the callback that sets them.
        try handle.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        // Always: only then does a refusal of our evaluator, which decides in OpenSSL's place, break the handshake off.
        try handle.set(CURLOPT_SSL_VERIFYPEER, true)
        let checksHost = policy.validatesDomainName && request.poolKey.trustAnswers == nil
        try handle.set(CURLOPT_SSL_VERIFYHOST, checksHost ? 2 : 0)
        if policy.needsFullHandshake || request.poolKey.trustAnswers != nil {
            try handle.set(CURLOPT_SSL_SESSIONID_CACHE, false)
        }
        try setTLS()
    }

    private func setAuthorities(
        of policy: SecurityPolicy, _ fileOption: CURLoption, _ folderOption: CURLoption
    ) throws(CurlError) {
        if let file = policy.certificateAuthorityFile {
            try handle.set(fileOption, file)
            try handle.set(folderOption, pointer: nil)  // Debian's libcurl would go on trusting the system's folder too
        } else if policy.allowInvalidCertificates {
            try handle.set(fileOption, pointer: nil)  // nobody's word is asked for: a system without a store will do
            try handle.set(folderOption, pointer: nil)
        }
    }

    /// An empty CURLOPT_PROXY is what keeps libcurl from reading the environment.
    private func setProxy() throws(CurlError) {
        let proxy = request.poolKey.proxy
        try handle.set(CURLOPT_PROXY, proxy?.url ?? "")
        try handle.set(CURLOPT_NOPROXY, "")
        guard let proxy else { return }
        try handle.set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_PROXY_SSL_VERIFYPEER, true)
        try handle.set(CURLOPT_PROXY_SSL_VERIFYHOST, proxy.securityPolicy.validatesDomainName ? 2 : 0)
        try setAuthorities(of: proxy.securityPolicy, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH)
        if let user = proxy.user { try handle.set(CURLOPT_PROXYUSERNAME, user) }
        if let password = proxy.password { try handle.set(CURLOPT_PROXYPASSWORD, password) }
    }

    private func setMethod() throws(CurlError) {
        switch (request.method, request.body.byteCount) {
        case ("HEAD", _): try handle.set(CURLOPT_NOBODY, true)
        case ("GET", 0): try handle.set(CURLOPT_HTTPGET, true)
        case ("POST", 0), ("PUT", 0), ("PATCH", 0):
            try handle.set(CURLOPT_POST, true)
            try handle.setLarge(CURLOPT_POSTFIELDSIZE_LARGE, 0)
            try handle.set(CURLOPT_COPYPOSTFIELDS, "")
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        case (_, 0): try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        case _ where request.copiedBody != nil:
            try handle.set(CURLOPT_POST, true)
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        case (_, let byteCount):
            try handle.set(CURLOPT_UPLOAD, true)
            try handle.setLarge(CURLOPT_INFILESIZE_LARGE, byteCount ?? -1)  // -1: chunked, or HTTP/2's own framing
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func setSmallBody() throws(CurlError) {
        guard request.method != "HEAD", let bytes = request.copiedBody else { return }
        try handle.setBody(bytes)
    }

    /// A request has one `Cookie` field (RFC 6265, 5.4): the caller's is handed to libcurl, which puts the jar's beside
    /// it.
    private func setCookies() throws(CurlError) {
        guard let jar = request.cookieJar else { return }
        try jar.store.value.attach(to: handle)
        let own = request.headers.filter { FieldSyntax.isSameName($0.name, "Cookie") }.map(\.value)
        if !own.isEmpty { try handle.set(CURLOPT_COOKIE, own.joined(separator: "; ")) }
    }

    /// To a request with a body, libcurl adds `Expect` and, for POST, a content type of its own unless a line without
    /// value forbids it.
    private func headerLines(_ fields: [HTTPHeaders.Field]) -> [String] {
        var headers = fields
        if request.cookieJar != nil { headers.removeAll { FieldSyntax.isSameName($0.name, "Cookie") } }
        var lines = headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if ["GET", "HEAD"].contains(request.method), request.body.isEmpty { return lines }
        for name in [TransferRequest.expectation, "Content-Type"]
        where !fields.contains(where: { FieldSyntax.isSameName($0.name, name) }) {
            lines.append("\(name):")
        }
        return lines
    }
}

extension HTTPVersion {
    fileprivate var curlValue: Int {
        switch self {
        case .negotiated: CURL_HTTP_VERSION_2TLS
        case .http1: CURL_HTTP_VERSION_1_1
        case .http2: CURL_HTTP_VERSION_2_0
        case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
        }
    }
}
