// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// One libcurl easy handle and the memory that it borrows: its header list, its URL's parts and its error text.
/// Network thread only; call `close()` there before releasing the handle.
package final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private var headerLines = HeaderLines()
    private var hasHeaders = false
    private var resolveList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var hasShare = false
    private var hasBody = false
    /// The size of libcurl's receive buffer, in bytes.
    private(set) var bufferByteCount = Int(CURL_MAX_WRITE_SIZE)
    /// The transfer that uses the handle.
    var transfer: CurlTransfer?
    /// Whether another transfer may use the handle; false if state of its last transfer may remain in it.
    var isReusable = true
    /// The setup of the handle, if another request with an equal setup needs only its own URL and fields.
    var setup: HandleSetup?
    private var headers: [HeaderFields.Field] = []
    private var hasPrivateHeaders = false
    private var url = ""
    /// The origin of the last URL that was passed to libcurl in parts. libcurl reads it during a transfer.
    private var origin: CurlOrigin?
    /// Whether a request of this handle had its own `Host` field (`RememberedHost`).
    private(set) var hasNamedHost = false
    private var closesConnection = false
    private var leavesNoConnection = false
    private var isClosed = false
    /// Guards libcurl's header and body callbacks, and pauses.
    var firstField = FirstFieldGuard()

    init() {
        guard let raw = curl_easy_init() else { preconditionFailure("libcurl is out of memory") }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reset()
    }

    /// Resets the handle to the state of a new handle. No state of the last request (Digest state, options) reaches
    /// the next one.
    func reset() {
        detachShare()
        setup = nil
        headers = []
        hasPrivateHeaders = false
        url = ""
        hasBody = false
        (closesConnection, leavesNoConnection) = (false, false)
        firstField.reset(raw)
        curl_easy_reset(raw)
        bufferByteCount = Int(CURL_MAX_WRITE_SIZE)
        origin = nil
        headerLines.close()
        hasHeaders = false
        curl_slist_free_all(resolveList)
        resolveList = nil
        errorText.pointee = 0
        _ = bluebonnet_easy_setopt_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
    }

    /// Returns whether the handle's options are already set for this setup.
    func isSetUp(as wanted: HandleSetup) -> Bool {
        guard let setup else { return false }
        return setup == wanted
    }

    /// Prepares the handle for the next request with an equal setup.
    func prepareForReuse() {
        transfer = nil
        guard setup != nil else { return reset() }
        dropBody()
        dropPrivateHeaders()
        firstField.reset(raw)
        errorText.pointee = 0
    }

    func close() {
        transfer = nil
        reset()
        curl_easy_cleanup(raw)
        errorText.deallocate()
        isClosed = true
    }

    /// libcurl's objects must not be freed on another thread: a release build leaks them instead.
    deinit { assert(isClosed, "an easy handle was released without close()") }

    /// Makes the next transfer open a connection. The handle's setup is discarded, so that no other request has to do
    /// without a kept connection.
    func useNewConnection() throws(CurlError) {
        setup = nil
        errorText.pointee = 0
        try set(CURLOPT_FRESH_CONNECT, true)
    }

    /// Answers the proxy with Digest if the proxy asks for it, and sends no credential unasked.
    func useProxyDigest() throws(CurlError) { try set(CURLOPT_PROXYAUTH, bluebonnet_auth_digest) }

    /// Sets whether libcurl continues to send a body after an error status. If not, it ends the HTTP/2 stream of a body
    /// without a length as if the body were complete.
    func setSendsWholeBody(_ sends: Bool) {
        _ = bluebonnet_easy_setopt_long(raw, CURLOPT_KEEP_SENDING_ON_ERROR, sends ? 1 : 0)
    }

    /// Sets whether the connection of the running transfer is closed afterwards, once no other transfer uses it. Has
    /// no effect after `leaveNoConnection()`.
    func setClosesConnection(_ closes: Bool) {
        guard closes != closesConnection, !leavesNoConnection else { return }
        setup = nil
        closesConnection = closes
        _ = bluebonnet_easy_setopt_long(raw, CURLOPT_FORBID_REUSE, closes ? 1 : 0)
    }

    /// Closes the connections of all requests with this setup after use.
    func leaveNoConnection() throws(CurlError) {
        leavesNoConnection = true
        try set(CURLOPT_FORBID_REUSE, true)
    }

    /// libcurl's text about the last error; nil if libcurl wrote none. 8.23 writes the error's name instead of a
    /// missing text.
    var lastErrorText: String? {
        guard errorText.pointee != 0 else { return nil }
        let isName = [CURLE_HTTP2, CURLE_HTTP2_STREAM].contains { strcmp(errorText, curl_easy_strerror($0)) == 0 }
        return isName ? nil : String(cString: errorText)
    }
}

@available(*, unavailable)
extension EasyHandle: Sendable {}

// MARK: - Options

extension EasyHandle {
    func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try bluebonnet_easy_setopt_long(raw, option, value).check()
    }

    func set(_ option: CURLoption, _ value: Bool) throws(CurlError) {
        try set(option, value ? 1 : 0)
    }

    func setLarge(_ option: CURLoption, _ value: Int64) throws(CurlError) {
        try bluebonnet_easy_setopt_off_t(raw, option, curl_off_t(value)).check()
    }

    /// Sets a string, which libcurl copies.
    func set(_ option: CURLoption, _ value: String) throws(CurlError) {
        // A string that is passed as a pointer is copied into an array first.
        let result = value.withCString { bluebonnet_easy_setopt_string(raw, option, $0) }
        try result.check()
    }

    func set(_ option: CURLoption, pointer: UnsafeRawPointer?) throws(CurlError) {
        try bluebonnet_easy_setopt_pointer(raw, option, pointer).check()
    }

    /// Sets bytes, which libcurl copies (CURL_BLOB_COPY).
    func set(_ option: CURLoption, blob bytes: Data) throws(CurlError) {
        let result = bytes.withUnsafeBytes { buffer in
            var blob = curl_blob(
                data: UnsafeMutableRawPointer(mutating: buffer.baseAddress), len: buffer.count,
                flags: CUnsignedInt(CURL_BLOB_COPY))
            return bluebonnet_easy_setopt_pointer(raw, option, &blob)
        }
        try result.check()
    }

    func set(_ option: CURLoption, callback: @escaping bluebonnet_data_callback) throws(CurlError) {
        try bluebonnet_easy_setopt_data_callback(raw, option, callback).check()
    }

    /// Sets a body, which libcurl copies. The body of the previous request is removed.
    ///
    /// - Parameter bytes: at least one byte.
    func setBody(_ bytes: Data) throws(CurlError) {
        dropBody()
        try setLarge(CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))  // first: determines how many are copied
        let result = bytes.withUnsafeBytes {
            bluebonnet_easy_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
        }
        try result.check()
        hasBody = true
    }

    /// Removes the body. A handle that waits for its next request must not retain the bytes of a request.
    private func dropBody() {
        guard hasBody else { return }
        hasBody = false
        _ = bluebonnet_easy_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, nil)
    }

    /// Sets the size of the receive buffer. libcurl refuses while it has a buffer: after a transfer whose connection
    /// is still used by others, the handle keeps its present buffer.
    func setBufferSize(_ byteCount: Int) throws(CurlError) {
        guard byteCount != bufferByteCount else { return }
        let result = bluebonnet_easy_setopt_long(raw, CURLOPT_BUFFERSIZE, byteCount)
        if result == CURLE_BAD_FUNCTION_ARGUMENT { return }
        try result.check()
        bufferByteCount = byteCount
    }

    /// Uses the cookies of a share until the handle is reset (CURLOPT_SHARE). The empty file name turns the cookie
    /// engine on.
    func setCookieShare(_ share: UnsafeMutableRawPointer) throws(CurlError) {
        hasShare = true
        try set(CURLOPT_SHARE, pointer: share)
        try set(CURLOPT_COOKIEFILE, "")
    }

    /// Detaches the share, which curl_easy_reset leaves attached. Without a share, a remaining file name would give
    /// the handle its own cookies.
    private func detachShare() {
        guard hasShare else { return }
        hasShare = false
        _ = bluebonnet_easy_setopt_pointer(raw, CURLOPT_COOKIEFILE, nil)
        _ = bluebonnet_easy_setopt_pointer(raw, CURLOPT_SHARE, nil)
    }

    /// Sets a request's URL, unless it is set already. Must not be called while a transfer uses the handle.
    ///
    /// A URL in the plainest form is passed to libcurl in parts: see `CurlOrigins`. Any other URL is passed
    /// unmodified: libcurl 7.88 would lose the zone of an IPv6 address.
    ///
    /// - Parameter origin: the URL's origin; nil if libcurl needs more of the URL.
    func setURL(
        _ text: String, hasAbsoluteTarget: Bool, _ origin: @autoclosure () -> CurlOrigin?
    ) throws(CurlError) {
        if text == url { return }
        url = ""
        let offset = Origin.targetOffset(ofPlainURL: text)
        self.origin = offset == nil ? nil : origin()
        try set(CURLOPT_CURLU, pointer: self.origin.map { UnsafeRawPointer($0.raw) })
        let isApart = self.origin != nil
        let written = isApart ? nil : AlteredTarget.writtenTarget(ofURL: text, isAbsolute: hasAbsoluteTarget)
        let code = text.withCString { start in
            // The URL comes last: since 8.12, setting CURLOPT_REQUEST_TARGET removes it. Without a path, the target is
            // the origin's.
            let target = start + (offset ?? 0)
            let hasTarget = isApart && target.pointee != 0
            let code =
                written.map { bluebonnet_easy_setopt_string(raw, CURLOPT_REQUEST_TARGET, $0) }
                ?? bluebonnet_easy_setopt_string(raw, CURLOPT_REQUEST_TARGET, hasTarget ? target : nil)
            return code == CURLE_OK ? bluebonnet_easy_setopt_string(raw, CURLOPT_URL, start) : code
        }
        try code.check()
        url = text
    }

    /// Sets the lines for a request's header fields (CURLOPT_HTTPHEADER), unless they are set already. Must not be
    /// called while a transfer uses the handle.
    ///
    /// - Parameter lines: returns the fields that become lines, and the names of fields that libcurl must not add.
    func setHeaders(
        _ fields: [HeaderFields.Field], namingHost: Bool,
        lines: () -> (fields: [HeaderFields.Field], unwanted: [String])
    ) throws(CurlError) {
        if hasHeaders, headers.isWrittenLike(fields) { return }
        if namingHost { hasNamedHost = true }
        let (lined, unwanted) = lines()
        let list = headerLines.write(lined, unwanted: unwanted)
        hasHeaders = list != nil
        headers = fields
        hasPrivateHeaders = !fields.allSatisfy { HopRequest.isAllowedAcrossOrigins($0.name) }
        try bluebonnet_easy_setopt_list(raw, CURLOPT_HTTPHEADER, list).check()
    }

    /// Removes credentials, cookies and the caller's other private fields. A handle that waits for its next request
    /// must not retain them. A list of fields that may be sent to any origin is kept, for the next request with the
    /// same fields.
    private func dropPrivateHeaders() {
        guard hasPrivateHeaders else { return }
        _ = bluebonnet_easy_setopt_list(raw, CURLOPT_HTTPHEADER, nil)
        headerLines.erase()
        (hasHeaders, headers, hasPrivateHeaders) = (false, [], false)
    }

    /// Sets `host:port:address` lines (CURLOPT_RESOLVE).
    func setResolveLines(_ lines: [String]) throws(CurlError) {
        resolveList = try Self.list(lines)
        try bluebonnet_easy_setopt_list(raw, CURLOPT_RESOLVE, resolveList).check()
    }

    /// Returns a list that libcurl can free.
    static func list(_ lines: [String]) throws(CurlError) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw CurlError(code: CURLE_OUT_OF_MEMORY.rawValue)
            }
            list = longer
        }
        return list
    }
}

// MARK: - Results

extension EasyHandle {
    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return bluebonnet_easy_getinfo_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    func large(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return bluebonnet_easy_getinfo_off_t(raw, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    /// Returns the lines of a list that satisfy a condition, for example of CURLINFO_COOKIELIST.
    func lines(_ info: CURLINFO, where isWanted: (UnsafePointer<CChar>) -> Bool) -> [String] {
        var list: UnsafeMutablePointer<curl_slist>?
        guard bluebonnet_easy_getinfo_list(raw, info, &list) == CURLE_OK else { return [] }
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var next = list
        while let entry = next {
            if let line = entry.pointee.data, isWanted(line) { lines.append(String(cString: line)) }
            next = entry.pointee.next
        }
        return lines
    }

    /// The local address of the connection in use; nil without a connection.
    var localAddress: IPAddress? {
        var text: UnsafeMutablePointer<CChar>?
        guard bluebonnet_easy_getinfo_string(raw, CURLINFO_LOCAL_IP, &text) == CURLE_OK, let text else { return nil }
        return IPAddress(String(cString: text))
    }

    /// Calls `body` with the endpoints of the connection in use, if there is one.
    func withEndpoints(_ body: (ConnectionEndpoints) -> Void) {
        var address: UnsafeMutablePointer<CChar>?
        guard bluebonnet_easy_getinfo_string(raw, CURLINFO_PRIMARY_IP, &address) == CURLE_OK, let address else {
            return
        }
        body(
            ConnectionEndpoints(
                localPort: long(CURLINFO_LOCAL_PORT), peerAddress: address, peerPort: long(CURLINFO_PRIMARY_PORT)))
    }

    /// The `SSL` object of the connection in use (CURLINFO_TLS_SSL_PTR); nil without TLS. Valid during a callback
    /// only.
    var tlsConnection: UnsafeMutableRawPointer? {
        var session: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard bluebonnet_easy_getinfo_session(raw, &session) == CURLE_OK, let session else { return nil }
        return session.pointee.backend == CURLSSLBACKEND_OPENSSL ? session.pointee.internals : nil
    }

    /// The times and counts of the ended transfer, converted from libcurl's (microseconds from its start).
    var metrics: TransferMetrics {
        func nanoseconds(_ microseconds: Int64) -> UInt64 { UInt64(max(0, microseconds)) * 1000 }
        var metrics = TransferMetrics()
        metrics.firstByte = nanoseconds(large(CURLINFO_STARTTRANSFER_TIME_T))
        metrics.isReused = long(CURLINFO_NUM_CONNECTS) == 0 && large(CURLINFO_PRETRANSFER_TIME_T) > 0
        guard !metrics.isReused else { return metrics }  // nothing was looked up or connected
        let nameLookup = large(CURLINFO_NAMELOOKUP_TIME_T)
        let connect = large(CURLINFO_CONNECT_TIME_T)
        metrics.nameLookup = nanoseconds(nameLookup)
        metrics.connect = nanoseconds(connect - nameLookup)
        metrics.tls = nanoseconds(large(CURLINFO_APPCONNECT_TIME_T) - connect)
        return metrics
    }
}
