// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// The values that determine the options of an easy handle, except its partition and the values that are set for every
/// request (URL, fields, a small body, the size of the buffer). Requests with equal setups need the same options, so
/// the second request on a handle sets little: setting all options costs as much as the rest of a small request.
///
/// `apply` reads nothing of the request but this value, so it cannot set an option that depends on more. Only
/// curl_easy_reset undoes the options, when a request with another setup follows.
struct HandleSetup: Equatable {
    private let method: String
    private let body: Body
    private let sendingBufferByteCount: Int
    private let httpVersion: HTTPProtocolVersion
    private let connectTimeout: UInt64
    private let expectsLargeBody: Bool
    private let isSecure: Bool
    private let watchesHead: Bool
    private let namesHost: Bool
    private let needsNewConnection: Bool
    private let proxyAnswer: ProxyAnswer
    /// Whether the next request may reuse the options. Not with cookies, the caller's addresses, a `Host` field, or a
    /// body that libcurl reads.
    private let isRepeatable: Bool

    /// How the challenges of the proxy are answered.
    private enum ProxyAnswer: Equatable {
        /// libcurl sends the credential without being asked.
        case basic
        /// libcurl answers when the proxy asks before it makes a tunnel.
        case digest
        /// The answer is one of the request's fields.
        case field
    }

    /// How libcurl gets the request's body.
    private enum Body: Equatable {
        case none
        /// libcurl has a copy of the body.
        case copied
        /// libcurl reads the body. Without a length, the body is sent in chunks, or in HTTP/2's own framing.
        case read(byteCount: Int64?, hasTrailers: Bool)
    }

    init(_ request: TransferRequest, usesProxyDigest: Bool = false) {
        method = request.method
        sendingBufferByteCount = request.sendingBufferByteCount
        httpVersion = request.httpVersion
        connectTimeout = request.limits.connectTimeout
        expectsLargeBody = request.limits.expectsLargeBody
        isSecure = request.isSecure
        if request.isForwarded
            && request.headers.contains(where: { FieldSyntax.isSameName($0.name, "Proxy-Authorization") })
        {
            proxyAnswer = .field
        } else {
            proxyAnswer = usesProxyDigest && request.isSecure ? .digest : .basic
        }
        needsNewConnection = request.limits.needsNewConnection
        let hasHostField = request.hasHostField
        namesHost = hasHostField || request.isForwarded
        if request.body.isEmpty || request.copiedBody != nil {
            body = request.body.isEmpty ? .none : .copied
            watchesHead = false
            isRepeatable =
                !hasHostField && !needsNewConnection && request.cookieJar == nil
                && request.poolKey.addressOverrides.isEmpty
        } else {
            let byteCount = request.body.byteCount
            body = .read(byteCount: byteCount, hasTrailers: request.body.trailers != nil)
            watchesHead = byteCount == nil && CutHead.canLoseChunkSizes(headByteCount: request.headSize.upperBound)
            isRepeatable = false
        }
    }

    /// Whether libcurl reads the body through the callback. libcurl has a copy of a small body.
    private var readsBody: Bool {
        if case .read = body { true } else { false }
    }

    private var hasTrailers: Bool { if case .read(_, hasTrailers: true) = body { true } else { false } }

    /// Sets a handle up for a request. Each option that enforces one of the library's rules is required: if libcurl
    /// refuses it, the transfer fails.
    static func prepare(
        _ handle: EasyHandle, for request: TransferRequest, in partition: CurlPartition
    ) throws(CurlError) {
        let setup = HandleSetup(request, usesProxyDigest: partition.usesProxyDigest)
        if !handle.isSetUp(as: setup) {
            if handle.setup != nil { handle.reset() }
            try setup.apply(to: handle, partition, request.poolKey)
            try request.setPrivateState(of: handle)
            handle.setup = setup.isRepeatable ? setup : nil
        }
        let isForPlainProxy = request.poolKey.proxy != nil && !request.isSecure
        try handle.setURL(
            request.urlText, hasAbsoluteTarget: isForPlainProxy, request.curlOrigin(in: partition))
        if request.limits.expectsLargeBody { try handle.setBufferSize(partition.largeBufferByteCount) }
        if request.method != "HEAD", let bytes = request.copiedBody { try handle.setBody(bytes) }
        try request.setFields(of: handle, in: partition, namingHost: setup.namesHost)
    }

    private func apply(
        to handle: EasyHandle, _ partition: CurlPartition, _ poolKey: ConnectionPoolKey
    ) throws(CurlError) {
        try setTarget(handle, partition, poolKey)
        if needsNewConnection { try handle.set(CURLOPT_FRESH_CONNECT, true) }
        try setLimits(handle)
        try Self.setConnectionLimits(handle, poolKey.connectionLimits)
        try Self.setTrust(handle, poolKey)
        try Self.setTLS(handle, poolKey)
        try setProxy(handle, poolKey.proxy)
        try setMethod(handle)
        try handle.setCallbacks(readsBody: readsBody, usesTLS: isSecure || poolKey.proxy?.isSecure == true)
        if hasTrailers { try handle.setTrailerCallback() }
        if watchesHead { try handle.setLogCallback() }
        try partition.connections.watch(handle)
        try handle.setOpenSocketCallback()
    }
}

// MARK: - Options

extension HandleSetup {
    private func setTarget(
        _ handle: EasyHandle, _ partition: CurlPartition, _ poolKey: ConnectionPoolKey
    ) throws(CurlError) {
        try handle.set(CURLOPT_PATH_AS_IS, true)  // the request decided whether dot segments stay
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_FOLLOWLOCATION, false)
        try handle.set(CURLOPT_HTTP_VERSION, httpVersion.curlValue(isSecure: isSecure))
        try handle.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        // `ChunkedBody` decodes chunks. If libcurl did, it would store the trailers of a proxy's response, which
        // `FirstFieldGuard` does not see.
        try handle.set(CURLOPT_HTTP_TRANSFER_DECODING, false)
        try handle.set(CURLOPT_NETRC, 0)  // CURL_NETRC_IGNORED: an enumeration in older headers, a macro in newer ones
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        if let path = poolKey.unixSocketPath { try handle.set(CURLOPT_UNIX_SOCKET_PATH, path.string) }
        guard httpVersion == .http2PriorKnowledge, !isSecure, RepeatedPreface.isPresent else { return }
        try handle.set(CURLOPT_FRESH_CONNECT, true)
        // Unless frames are observed, a closed connection counts as evidence of a truncated response. The connection
        // is then kept until other connections need its place.
        if partition.endEvidence == .frames { try handle.leaveNoConnection() }
    }

    private func setLimits(_ handle: EasyHandle) throws(CurlError) {
        try handle.set(CURLOPT_NOSIGNAL, true)
        try handle.set(CURLOPT_QUICK_EXIT, true)
        // 0 would select libcurl's default of 300 s.
        let milliseconds = (connectTimeout + 999_999) / 1_000_000
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds == 0 ? Int(Int32.max) : Int(min(milliseconds, 1 << 30)))
        // The number of bytes that libcurl sends at once of a body that it reads. Over TLS, libcurl also copies every
        // request into a buffer of this size. The C library would return a large buffer to the system and allocate it
        // again for each request. The option is always set: curl_easy_reset (7.88) restores 64 KiB but keeps a
        // possibly smaller buffer, which only setting the size releases.
        try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, sendingBufferByteCount)
    }

    /// Sets the limits that libcurl enforces. The library itself checks the number of uses, and ages below a second
    /// (`ConnectionUses`).
    private static func setConnectionLimits(_ handle: EasyHandle, _ limits: ConnectionLimits) throws(CurlError) {
        if let age = limits.maximumAge { try handle.set(CURLOPT_MAXLIFETIME_CONN, ConnectionLimits.seconds(age)) }
        if let time = limits.maximumIdleTime { try handle.set(CURLOPT_MAXAGE_CONN, ConnectionLimits.seconds(time)) }
    }

    private func setMethod(_ handle: EasyHandle) throws(CurlError) {
        switch (method, body) {
        case ("HEAD", _): return try handle.set(CURLOPT_NOBODY, true)
        case ("GET", .none): return try handle.set(CURLOPT_HTTPGET, true)
        case ("POST", .none), ("PUT", .none), ("PATCH", .none):
            try handle.set(CURLOPT_POST, true)
            try handle.setLarge(CURLOPT_POSTFIELDSIZE_LARGE, 0)
            try handle.set(CURLOPT_COPYPOSTFIELDS, "")
        case (_, .none): break
        case (_, .copied): try handle.set(CURLOPT_POST, true)
        case (_, .read(let byteCount, _)):
            try handle.set(CURLOPT_UPLOAD, true)
            try handle.setLarge(CURLOPT_INFILESIZE_LARGE, byteCount ?? -1)
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, method)
    }

    private static func setTrust(_ handle: EasyHandle, _ poolKey: ConnectionPoolKey) throws(CurlError) {
        let policy = poolKey.securityPolicy
        try AuthorityCache.turnOff(for: handle)
        // Always on: only then does a refusal by the library's evaluator, which replaces OpenSSL's decision, abort the
        // handshake.
        try handle.set(CURLOPT_SSL_VERIFYPEER, true)
        let checksHost = policy.validatesDomainName && poolKey.trustAnswers == nil
        try handle.set(CURLOPT_SSL_VERIFYHOST, checksHost ? 2 : 0)
        let needsHandshake = policy.needsFullHandshake || poolKey.trustAnswers != nil
        if needsHandshake || poolKey.tls.requiresStapledStatus { try handle.set(CURLOPT_SSL_SESSIONID_CACHE, false) }
    }

    /// Sets the TLS options for the connection to the server itself. Options that libcurl does not have are set at the
    /// handshake (`TLSContext`).
    private static func setTLS(_ handle: EasyHandle, _ poolKey: ConnectionPoolKey) throws(CurlError) {
        // The library provides the authorities: libcurl would read them on the network thread, for each connection.
        try handle.set(CURLOPT_CAINFO, pointer: nil)
        try handle.set(CURLOPT_CAPATH, pointer: nil)
        let options = poolKey.tls
        try handle.set(
            CURLOPT_SSLVERSION, options.minimumVersion.curlMinimum | (options.maximumVersion?.curlMaximum ?? 0))
        if !options.ciphers.isEmpty {
            try handle.set(CURLOPT_SSL_CIPHER_LIST, options.ciphers.joined(separator: ":"))
        }
        if !options.cipherSuites.isEmpty {
            try handle.set(CURLOPT_TLS13_CIPHERS, options.cipherSuites.joined(separator: ":"))
        }
        guard let identity = poolKey.setup?.identity else { return }
        try handle.set(CURLOPT_SSLCERT_BLOB, blob: identity.certificates)
        try handle.set(CURLOPT_SSLKEY_BLOB, blob: identity.key)
    }

    /// Sets the proxy. An empty CURLOPT_PROXY keeps libcurl from reading the environment.
    private func setProxy(_ handle: EasyHandle, _ proxy: Proxy?) throws(CurlError) {
        try handle.set(CURLOPT_PROXY, proxy?.url ?? "")
        try handle.set(CURLOPT_NOPROXY, "")
        guard let proxy else { return }
        try handle.set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_PROXY_SSL_VERIFYPEER, true)
        try handle.set(CURLOPT_PROXY_SSL_VERIFYHOST, proxy.ownPolicy.validatesDomainName ? 2 : 0)
        // The library provides these authorities too (`ConnectionInUse.prepareTLS`).
        try handle.set(CURLOPT_PROXY_CAINFO, pointer: nil)
        try handle.set(CURLOPT_PROXY_CAPATH, pointer: nil)
        guard proxyAnswer != .field else { return }
        if proxyAnswer == .digest { try handle.useProxyDigest() }
        if let user = proxy.user { try handle.set(CURLOPT_PROXYUSERNAME, user) }
        if let password = proxy.password { try handle.set(CURLOPT_PROXYPASSWORD, password) }
    }
}

// MARK: - Settings of a single request

extension TransferRequest {
    /// The origin, if libcurl needs only the origin of the URL. A proxy without a tunnel is sent the whole URL, and a
    /// jar needs the path for its cookies.
    fileprivate func curlOrigin(in partition: CurlPartition) -> CurlOrigin? {
        guard cookieJar == nil, poolKey.proxy == nil || isSecure else { return nil }
        return partition.curlOrigin(of: origin)
    }

    /// Sets the options that no other request may reuse. A handle with any of them is set up again for the next
    /// request (`isRepeatable`).
    ///
    /// A request has one `Cookie` field (RFC 6265, 5.4): the caller's cookies are passed to libcurl, which adds the
    /// jar's cookies.
    fileprivate func setPrivateState(of handle: EasyHandle) throws(CurlError) {
        if !poolKey.addressOverrides.isEmpty {
            // libcurl treats a name with the root's trailing dot as another name.
            let lines = poolKey.addressOverrides.flatMap { host, address in
                [host, host + "."].map { "\($0):\(origin.port):\(address)" }
            }
            try handle.setResolveLines(lines)
        }
        guard let cookieJar else { return }
        try handle.setCookieShare(try cookieJar.openShare())
        let own = headers.filter { FieldSyntax.isSameName($0.name, "Cookie") }.map(\.value)
        if !own.isEmpty { try handle.set(CURLOPT_COOKIE, own.joined(separator: "; ")) }
    }

    /// Sets the header fields. Without a body, the request does not wait for `100 Continue` (RFC 9110, 10.1.1).
    fileprivate func setFields(
        of handle: EasyHandle, in partition: CurlPartition, namingHost: Bool
    ) throws(CurlError) {
        var fields = body.isEmpty && asksForContinue ? fieldsWithoutExpectation : headers
        if let host = hostField(in: partition) { fields.append(host) }
        try handle.setHeaders(fields, namingHost: namingHost) { (lined(fields), unwantedNames(fields)) }
    }

    fileprivate var hasHostField: Bool { headers.containsName("Host") }

    /// Whether a proxy reads the request and forwards it. Other proxies only relay connections.
    fileprivate var isForwarded: Bool { !isSecure && poolKey.proxy?.forwardsRequests == true }

    /// The `Host` field of a forwarded request.
    private func hostField(in partition: CurlPartition) -> HeaderFields.Field? {
        guard BracketedHost.isPresent, isForwarded, !hasHostField,
            let host = partition.curlOrigin(of: origin)?.hostField
        else { return nil }
        return HeaderFields.Field(name: "Host", value: host)
    }

    /// Removes the expectation from the fields, for a server that refused it.
    func leaveExpectationOut(of handle: EasyHandle, in partition: CurlPartition) throws(CurlError) {
        var fields = fieldsWithoutExpectation
        if let host = hostField(in: partition) { fields.append(host) }
        try handle.setHeaders(fields, namingHost: handle.hasNamedHost) { (lined(fields), unwantedNames(fields)) }
    }

    private var fieldsWithoutExpectation: [HeaderFields.Field] {
        headers.filter { !FieldSyntax.isSameName($0.name, Self.expectation) }
    }

    /// Returns the fields that become lines. With a jar, libcurl has the caller's cookies already.
    private func lined(_ fields: [HeaderFields.Field]) -> [HeaderFields.Field] {
        cookieJar == nil ? fields : fields.filter { !FieldSyntax.isSameName($0.name, "Cookie") }
    }

    /// Returns the fields that libcurl must not add. To a request with a body, libcurl adds `Expect` and, for POST,
    /// its own content type, unless a line without value forbids it.
    private func unwantedNames(_ fields: [HeaderFields.Field]) -> [String] {
        if body.isEmpty, method == "GET" || method == "HEAD" { return [] }
        return [Self.expectation, "Content-Type"].filter { name in
            !fields.contains { FieldSyntax.isSameName($0.name, name) }
        }
    }
}

extension HTTPProtocolVersion {
    /// Returns libcurl's constant. Over TLS, the protocol is always negotiated, and checked before the request is
    /// sent.
    fileprivate func curlValue(isSecure: Bool) -> Int {
        switch self {
        case .http2PriorKnowledge where isSecure: CURL_HTTP_VERSION_2TLS
        case .negotiated: CURL_HTTP_VERSION_2TLS
        case .http1: CURL_HTTP_VERSION_1_1
        case .http2: CURL_HTTP_VERSION_2_0
        case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
        }
    }
}

extension TLSProtocolVersion {
    /// CURL_SSLVERSION_TLSv1_0 or one of the constants after it.
    fileprivate var curlMinimum: Int { Int(CURL_SSLVERSION_TLSv1_0) + minor }
    /// CURL_SSLVERSION_MAX_TLSv1_0 or one of the constants after it.
    fileprivate var curlMaximum: Int { curlMinimum << 16 }
}
