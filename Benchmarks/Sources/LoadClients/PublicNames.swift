// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import Bluebonnet
import Foundation
import FoundationNetworking
import NIOCore
import NIOHTTP1
import NIOSSL

/// Checks that Bluebonnet's names do not clash with those in async-http-client and Swift NIO: a name in two of the
/// modules would be ambiguous here, and this file would not compile. No code uses it.
enum PublicNames {
    static let bluebonnet: [Any.Type] = [
        RequestOperation.self, HTTPRequestOperation.self, RequestOperationManager.self, RequestOperationQueue.self,
        RequestHandle<Int>.self, Batch.self, BatchOutcome.self, RequestBody.self, HeaderFields.self, ResponseHead.self,
        HTTPProtocolVersion.self, TLSProtocolVersion.self, TLSOptions.self, TLSInformation.self, TransferOptions.self,
        Proxy.self, Cookie.self, CookieJar.self, CachedResponse.self, NetworkingError.self, JSONValue.self,
        SecurityPolicy.self, ServerCertificate.self, ClientIdentity.self, RequestProperties.self, Parameters.self,
        HTTPRequestSerializer.self, HTTPResponseSerializer.self, JSONResponseSerializer.self, ResponseValidation.self,
        SessionManager.self, HTTPSessionManager.self, SessionTask.self, SessionBlocks.self, SessionConfiguration.self,
        (any SessionManaging).self, NetworkActivityMonitor.self, ResponseDisposition.self,
        NetworkThread.self, IPAddress.self, NetworkInterface.self, Tuning.self, QueryEncoder.self,
    ]
    static let others: [Any.Type] = [
        HTTPClient.self, HTTPClientRequest.self, HTTPClientResponse.self, HTTPHeaders.self, HTTPVersion.self,
        HTTPResponseHead.self, TLSVersion.self, HTTPURLResponse.self,
    ]
}
