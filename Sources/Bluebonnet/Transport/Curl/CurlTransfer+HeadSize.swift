// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Heads of requests that libcurl cannot send: 7.88 says that it is out of memory, or, over HTTP/2, connects again and
// again because its own HTTP/2 library refuses the request. Network thread only.
extension CurlTransfer {
    /// The error of a head that is too large; looked at before there is a connection. A head that only HTTP/1.1 can
    /// carry goes by HTTP/1.1, unless the caller knows that the server speaks nothing but HTTP/2.
    var headFault: NetworkingError? {
        let size = RequestHeadSize(request)
        guard request.httpVersion == .http2PriorKnowledge else { return size.fault(textForm) }
        return size.fault(.block, secretByteCount: request.cookieJar == nil ? 0 : RequestHeadSize.secretByteCount)
    }

    /// The error of a head that libcurl could not put together because of what it adds.
    var assembledHeadFault: NetworkingError? {
        guard !hasHeaderBytes else { return nil }
        return RequestHeadSize(request).fault(textForm, secretByteCount: RequestHeadSize.secretByteCount)
    }

    private var textForm: RequestHeadSize.Form { .text(bodyByteCount: request.copiedBody?.count ?? 0) }
}
