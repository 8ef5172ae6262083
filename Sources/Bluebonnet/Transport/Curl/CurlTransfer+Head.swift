// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

// What libcurl cannot do with a long head of a request. One that is too large 7.88 takes for a lack of memory, or, over
// HTTP/2, connects again and again because nghttp2 refuses it. Network thread only.
extension CurlTransfer {
    /// A kernel may give a new connection so little room to send (the first number of tcp_wmem): a head that fits it
    /// leaves in one write.
    private static let leastSocketBufferByteCount = 4096

    /// libcurl 7.88 sends a body of unknown length without its chunks when the head before it has not left in one
    /// write: a server would take the bytes for anything. Nothing tells of that but its log (CURLOPT_DEBUGFUNCTION),
    /// which costs, and is kept for the requests that it may happen to.
    func watchHead() throws(CurlError) {
        guard request.body.byteCount == nil, request.headSize.upperBound > Self.leastSocketBufferByteCount else {
            return
        }
        try bluebonnet_easy_setopt_debug_callback(handle.raw, logCallback).check()
        try handle.set(CURLOPT_DEBUGDATA, pointer: UnsafeRawPointer(Unmanaged.passUnretained(handle).toOpaque()))
        try handle.set(CURLOPT_VERBOSE, true)
    }

    /// So much of a head has left in one write.
    fileprivate func noteHeadPiece(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8), !wasMultiplexed, failure == nil else { return }
        let text = "the head of the request to \(hostName) is too long for a body of unknown length to follow it"
        partition.failSoon(self, NetworkingError(.invalidRequest, text))
    }

    /// The error of a head that is too large; looked at before there is a connection. A head that only HTTP/1.1 can
    /// carry goes by HTTP/1.1, unless the caller knows that the server speaks nothing but HTTP/2.
    var headFault: NetworkingError? {
        guard request.httpVersion == .http2PriorKnowledge else {
            return request.headSize.fault(.text, of: request, withAdditions: false)
        }
        return request.headSize.fault(.block, of: request, withAdditions: true)
    }

    /// The error of a head that libcurl could not put together because of what it adds.
    var assembledHeadFault: NetworkingError? {
        guard !hasHeaderBytes else { return nil }
        return request.headSize.fault(.text, of: request, withAdditions: true)
    }
}

/// Hears what libcurl would log.
private func logCallback(
    _: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> CInt {
    guard kind == CURLINFO_HEADER_OUT, let context else { return 0 }
    EasyHandle.recover(context).transfer?.noteHeadPiece(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}
