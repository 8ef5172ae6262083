// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation
internal import Glibc

/// libcurl's callbacks: each recovers its transfer, calls one method and maps the answer. The context is the handle's
/// object, which keeps its transfer for as long as libcurl may call.
extension CurlTransfer {
    func setCallbacks() throws(CurlError) {
        try handle.set(CURLOPT_HEADERFUNCTION, callback: headerCallback)
        try handle.set(CURLOPT_WRITEFUNCTION, callback: bodyCallback)
        try bluebonnet_easy_setopt_prereq_callback(handle.raw, sendingCallback).check()
        if readsBody {
            try handle.set(CURLOPT_READFUNCTION, callback: uploadCallback)
            try bluebonnet_easy_setopt_seek_callback(handle.raw, seekCallback).check()
        }
        if usesTLS { try bluebonnet_easy_setopt_ssl_context_callback(handle.raw, tlsContextCallback).check() }
    }

    /// libcurl gives one line at a time, but those that came while the transfer was paused all at once.
    fileprivate func consumeHeaderLines(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while let start = rest.baseAddress, let newline = memchr(start, 0x0A, rest.count) {
            let count = UnsafeRawPointer(newline) - start + 1
            guard count < rest.count else { break }
            guard consumeHeaderLine(UnsafeRawBufferPointer(rebasing: rest[..<count])) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return consumeHeaderLine(rest)
    }

    /// Whether libcurl asks for the body; it has a small one already.
    private var readsBody: Bool { !request.body.isEmpty && request.copiedBody == nil }

    private var usesTLS: Bool { request.isSecure || request.poolKey.proxy?.isSecure == true }

    /// Makes the handle the context of libcurl's callbacks: it is the same for all the transfers that it is used for.
    func setContext() throws(CurlError) {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(handle).toOpaque())
        try handle.set(CURLOPT_PRIVATE, pointer: context)
        try handle.set(CURLOPT_HEADERDATA, pointer: context)
        try handle.set(CURLOPT_WRITEDATA, pointer: context)
        try handle.set(CURLOPT_PREREQDATA, pointer: context)
        if readsBody {
            try handle.set(CURLOPT_READDATA, pointer: context)
            try handle.set(CURLOPT_SEEKDATA, pointer: context)
        }
        if usesTLS { try handle.set(CURLOPT_SSL_CTX_DATA, pointer: context) }
    }

    fileprivate static func recover(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context, let transfer = EasyHandle.recover(context).transfer else {
            preconditionFailure("libcurl called without its context")
        }
        return transfer
    }
}

extension EasyHandle {
    /// The object of libcurl's handle, out of CURLOPT_PRIVATE.
    static func of(_ handle: UnsafeMutableRawPointer) -> EasyHandle? {
        var context: UnsafeMutablePointer<CChar>?
        guard bluebonnet_easy_getinfo_string(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else {
            return nil
        }
        return recover(UnsafeMutableRawPointer(context))
    }

    static func recover(_ context: UnsafeMutableRawPointer) -> EasyHandle {
        Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }
}

private func headerCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let lines = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return CurlTransfer.recover(context).consumeHeaderLines(lines) ? lines.count : stopTransfer
}

private func bodyCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    switch CurlTransfer.recover(context).consumeBody(piece) {
    case .taken?: return piece.count
    case .wouldBlock?: return Int(CURL_WRITEFUNC_PAUSE)
    case nil: return stopTransfer
    }
}

private func uploadCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    switch CurlTransfer.recover(context).produceBody(into: buffer) {
    case .bytes(let count)?: return count
    case .wouldBlock?: return Int(CURL_READFUNC_PAUSE)
    case nil: return Int(CURL_READFUNC_ABORT)
    }
}

private func seekCallback(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: CInt) -> CInt {
    guard origin == SEEK_SET else { return CInt(CURL_SEEKFUNC_CANTSEEK) }
    let isPossible = CurlTransfer.recover(context).seekBody(to: Int64(offset))
    return CInt(isPossible ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK)
}

private func sendingCallback(
    _ context: UnsafeMutableRawPointer?, _ peerAddress: UnsafeMutablePointer<CChar>?,
    _: UnsafeMutablePointer<CChar>?, _ peerPort: CInt, _ localPort: CInt
) -> CInt {
    guard let peerAddress else { return CInt(CURL_PREREQFUNC_ABORT) }
    let endpoints = ConnectionEndpoints(localPort: Int(localPort), peerAddress: peerAddress, peerPort: Int(peerPort))
    return CurlTransfer.recover(context).mayBeginSending(over: endpoints)
        ? CInt(CURL_PREREQFUNC_OK) : CInt(CURL_PREREQFUNC_ABORT)
}

private func tlsContextCallback(
    _: UnsafeMutableRawPointer?, _ tlsContext: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let tlsContext, CurlTransfer.recover(context).prepareTLS(context: tlsContext) else {
        return CURLE_ABORTED_BY_CALLBACK
    }
    return CURLE_OK
}

/// A count that is no buffer's (CURL_WRITEFUNC_ERROR): an empty header line or piece must be refusable too.
private let stopTransfer = Int(CURL_WRITEFUNC_ERROR)
