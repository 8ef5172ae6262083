// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What an easy handle's options depend on besides the request's URL and fields. Two requests of the same partition
/// with equal setups need the same options, so the second one on a handle has little to set: setting everything afresh
/// costs as much as the rest of a small request.
///
/// Only the plainest requests have one: no body but a small one in memory, no cookies, no addresses of the caller's, no
/// `Host` field.
struct HandleSetup: Equatable {
    private let method: String
    private let hasBody: Bool
    private let sendingBufferByteCount: Int
    private let httpVersion: HTTPVersion
    private let connectTimeout: UInt64
    private let expectsLargeBody: Bool
    private let isSecure: Bool

    /// Nil for a request whose handle is set up afresh.
    init?(_ request: TransferRequest) {
        hasBody = !request.body.isEmpty
        guard !hasBody || request.copiedBody != nil, request.cookieJar == nil,
            request.poolKey.addressOverrides.isEmpty,
            !request.headers.contains(where: { FieldSyntax.isSameName($0.name, "Host") })
        else { return nil }
        sendingBufferByteCount = request.sendingBufferByteCount
        method = request.method
        httpVersion = request.httpVersion
        connectTimeout = request.limits.connectTimeout
        expectsLargeBody = request.limits.expectsLargeBody
        isSecure = request.isSecure
    }
}
