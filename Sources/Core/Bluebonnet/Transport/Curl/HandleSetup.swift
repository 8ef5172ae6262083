// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// All that the options of an easy handle depend on, besides its partition and what is set anew for every request (URL,
/// fields, a small body, the size of the buffer). Requests with equal setups need the same options, so the second one
/// on a handle has little to set: setting everything afresh costs as much as the rest of a small request.
///
/// `apply` sees nothing of the request but this value: an option that depends on more cannot be written there. What it
/// sets is undone by curl_easy_reset alone, when a request with another setup comes.
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
    /// Whether the next request may find the options as they are: not those of cookies, addresses of the caller's and a
    /// `Host` field, nor of a body that libcurl asks for.
    private let isRepeatable: Bool

    /// Who answers the challenges of the proxy.
    private enum ProxyAnswer: Equatable {
        /// libcurl, which sends the credential without being asked to.
        case basic
        /// libcurl, when the proxy asks for an answer before it makes a tunnel.
        case digest
        /// The request has the answer as one of its fields.
        case field
    }

    private enum Body: Equatable {
        case none
        /// libcurl has a copy.
        case copied
        /// libcurl asks for it; without length it goes in chunks, or in HTTP/2's own framing.
        case read(byteCount: Int64?)
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
            body = .read(byteCount: byteCount)
            watchesHead = byteCount == nil && CutHead.mayLoseChunks(headByteCount: request.headSize.upperBound)
            isRepeatable = false
        }
    }

    /// Whether libcurl asks for the body; it has a small one already.
    private var readsBody: Bool {
        if case .read = body { true } else { false }
    }

    /// Sets a handle up for a request. Each option that guards a rule of ours is required: a libcurl that refuses one
    /// makes the transfer fail.
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
        try handle.set(CURLOPT_PATH_AS_IS, true)  // whether dot segments stay was decided with the request
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_FOLLOWLOCATION, false)
        try handle.set(CURLOPT_HTTP_VERSION, httpVersion.curlValue(isSecure: isSecure))
        try handle.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        // ChunkedBody undoes chunks. If libcurl did, libcurl would keep the trailers of a proxy's response, and
        // FirstFieldGuard does not see them.
        try handle.set(CURLOPT_HTTP_TRANSFER_DECODING, false)
        try handle.set(CURLOPT_NETRC, 0)  // CURL_NETRC_IGNORED: an enumeration in older headers, a macro in newer ones
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        if let path = poolKey.unixSocketPath { try handle.set(CURLOPT_UNIX_SOCKET_PATH, path.string) }
        guard httpVersion == .http2PriorKnowledge, !isSecure, RepeatedPreface.isPresent else { return }
        try handle.set(CURLOPT_FRESH_CONNECT, true)
        // Where a closed connection is evidence of an end that is none, it is kept until others need its place.
        if partition.endEvidence == .frames { try handle.leaveNoConnection() }
    }

    private func setLimits(_ handle: EasyHandle) throws(CurlError) {
        try handle.set(CURLOPT_NOSIGNAL, true)
        try handle.set(CURLOPT_QUICK_EXIT, true)
        // 0 would mean libcurl's own 300 s.
        let milliseconds = (connectTimeout + 999_999) / 1_000_000
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds == 0 ? Int(Int32.max) : Int(min(milliseconds, 1 << 30)))
        // How much libcurl sends at once of a body that it asks for. Over TLS it also copies every request into a
        // buffer of that size, which the C library would give back to the system and take again for each. Always set:
        // curl_easy_reset (7.88) goes back to 64 KiB and keeps a buffer that may be smaller, which only setting the
        // size lets go.
        try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, sendingBufferByteCount)
    }

    /// Uses, and the age in less than seconds, are looked at by ourselves (`ConnectionUses`).
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
        case (_, .read(let byteCount)):
            try handle.set(CURLOPT_UPLOAD, true)
            try handle.setLarge(CURLOPT_INFILESIZE_LARGE, byteCount ?? -1)
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, method)
    }

    private static func setTrust(_ handle: EasyHandle, _ poolKey: ConnectionPoolKey) throws(CurlError) {
        let policy = poolKey.securityPolicy
        try AuthorityCache.turnOff(for: handle)
        // Always: only then does a refusal of our evaluator, which decides in OpenSSL's place, break the handshake off.
        try handle.set(CURLOPT_SSL_VERIFYPEER, true)
        let checksHost = policy.validatesDomainName && poolKey.trustAnswers == nil
        try handle.set(CURLOPT_SSL_VERIFYHOST, checksHost ? 2 : 0)
        let needsHandshake = policy.needsFullHandshake || poolKey.trustAnswers != nil
        if needsHandshake || poolKey.tls.requiresStapledStatus { try handle.set(CURLOPT_SSL_SESSIONID_CACHE, false) }
    }

    /// How TLS is spoken with the server itself. What libcurl has no option for is set at the handshake (`TLSContext`).
    private static func setTLS(_ handle: EasyHandle, _ poolKey: ConnectionPoolKey) throws(CurlError) {
        // The authorities are ours: libcurl would read them on the network thread, for each connection.
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

    /// An empty CURLOPT_PROXY is what keeps libcurl from reading the environment.
    private func setProxy(_ handle: EasyHandle, _ proxy: Proxy?) throws(CurlError) {
        try handle.set(CURLOPT_PROXY, proxy?.url ?? "")
        try handle.set(CURLOPT_NOPROXY, "")
        guard let proxy else { return }
        try handle.set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_PROXY_SSL_VERIFYPEER, true)
        try handle.set(CURLOPT_PROXY_SSL_VERIFYHOST, proxy.ownPolicy.validatesDomainName ? 2 : 0)
        // The authorities are ours here too (`ConnectionInUse.prepareTLS`).
        try handle.set(CURLOPT_PROXY_CAINFO, pointer: nil)
        try handle.set(CURLOPT_PROXY_CAPATH, pointer: nil)
        guard proxyAnswer != .field else { return }
        if proxyAnswer == .digest { try handle.useProxyDigest() }
        if let user = proxy.user { try handle.set(CURLOPT_PROXYUSERNAME, user) }
        if let password = proxy.password { try handle.set(CURLOPT_PROXYPASSWORD, password) }
    }
}

// MARK: - What a request has for itself

extension TransferRequest {
    /// The origin where libcurl needs no more of a URL: a proxy without a tunnel is sent the whole, and a jar has
    /// cookies for its path.
    fileprivate func curlOrigin(in partition: CurlPartition) -> CurlOrigin? {
        guard cookieJar == nil, poolKey.proxy == nil || isSecure else { return nil }
        return partition.curlOrigin(of: origin)
    }

    /// What no other request may find: a handle with any of it is set up afresh for the next one (`isRepeatable`).
    ///
    /// A request has one `Cookie` field (RFC 6265, 5.4): the caller's is handed to libcurl, which puts the jar's beside
    /// it.
    fileprivate func setPrivateState(of handle: EasyHandle) throws(CurlError) {
        if !poolKey.addressOverrides.isEmpty {
            // libcurl takes a name with the dot of the root for another one.
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

    /// Nothing is waited for where there is no body (RFC 9110, 10.1.1).
    fileprivate func setFields(
        of handle: EasyHandle, in partition: CurlPartition, namingHost: Bool
    ) throws(CurlError) {
        let given = body.isEmpty && asksForContinue ? fieldsWithoutExpectation : headers
        let fields = given + hostField(in: partition)
        try handle.setHeaders(fields, namingHost: namingHost) { (lined(fields), unwantedNames(fields)) }
    }

    fileprivate var hasHostField: Bool { headers.contains { FieldSyntax.isSameName($0.name, "Host") } }

    /// Whether a proxy reads the request and passes it on; a proxy of another kind joins connections only.
    fileprivate var isForwarded: Bool { !isSecure && poolKey.proxy?.forwardsRequests == true }

    /// The `Host` field of a forwarded request.
    private func hostField(in partition: CurlPartition) -> [HeaderFields.Field] {
        guard BracketedHost.isPresent, isForwarded, !hasHostField,
            let host = partition.curlOrigin(of: origin)?.hostField
        else { return [] }
        return [HeaderFields.Field(name: "Host", value: host)]
    }

    /// For a server that refused the expectation.
    func leaveExpectationOut(of handle: EasyHandle, in partition: CurlPartition) throws(CurlError) {
        let fields = fieldsWithoutExpectation + hostField(in: partition)
        try handle.setHeaders(fields, namingHost: handle.hasNamedHost) { (lined(fields), unwantedNames(fields)) }
    }

    private var fieldsWithoutExpectation: [HeaderFields.Field] {
        headers.filter { !FieldSyntax.isSameName($0.name, Self.expectation) }
    }

    /// The fields that become lines: with a jar, libcurl has the caller's cookies already.
    private func lined(_ fields: [HeaderFields.Field]) -> [HeaderFields.Field] {
        cookieJar == nil ? fields : fields.filter { !FieldSyntax.isSameName($0.name, "Cookie") }
    }

    /// To a request with a body, libcurl adds `Expect` and, for POST, a content type of its own unless a line without
    /// value forbids it.
    private func unwantedNames(_ fields: [HeaderFields.Field]) -> [String] {
        if body.isEmpty, method == "GET" || method == "HEAD" { return [] }
        return [Self.expectation, "Content-Type"].filter { name in
            !fields.contains { FieldSyntax.isSameName($0.name, name) }
        }
    }
}

extension HTTPProtocolVersion {
    /// Over TLS, the protocol is always negotiated, and checked before the request is sent.
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
    /// CURL_SSLVERSION_TLSv1_0 and what follows it.
    fileprivate var curlMinimum: Int { Int(CURL_SSLVERSION_TLSv1_0) + minor }
    /// CURL_SSLVERSION_MAX_TLSv1_0 and what follows it.
    fileprivate var curlMaximum: Int { curlMinimum << 16 }
}
