// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Heads of requests that libcurl cannot send: 7.88 says that it is out of memory, or, over HTTP/2, connects again and
// again because its own HTTP/2 library refuses the request. Network thread only.
extension CurlTransfer {
    /// The error of a head that is too large, whatever the connection; looked at before there is one.
    var headFault: NetworkingError? {
        switch request.httpVersion {
        case .http2PriorKnowledge: blockFault
        case .http2 where !request.isSecure: blockFault  // a kept connection may have been upgraded
        case .negotiated, .http1, .http2: RequestHeadSize(request).fault(textForm)
        }
    }

    /// The error of a head that is too large for HTTP/2; looked at when that has been negotiated.
    var blockFault: NetworkingError? { RequestHeadSize(request).fault(.block) }

    /// The error of a head that libcurl could not put together because of what it adds.
    var assembledHeadFault: NetworkingError? {
        guard !hasHeaderBytes else { return nil }
        return RequestHeadSize(request).fault(textForm, secretByteCount: RequestHeadSize.secretByteCount)
    }

    /// The error of a head that was refused over HTTP/2, where the jar's cookies can have made the head too large.
    var refusedHeadFault: NetworkingError? {
        guard request.cookieJar != nil, wasMultiplexed, !hasHeaderBytes else { return nil }
        return RequestHeadSize(request).fault(.block, secretByteCount: RequestHeadSize.secretByteCount)
    }

    private var textForm: RequestHeadSize.Form { .text(bodyByteCount: request.copiedBody?.count ?? 0) }
}
