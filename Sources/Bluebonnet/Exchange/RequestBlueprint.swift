// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
package import FoundationNetworking

/// What is known of an operation once its request is made; what is nil is as the operation has it.
package struct RequestBlueprint: Sendable {
    package var request: URLRequest
    /// The request's header fields with all that is added to them, checked and complete; nil where that is to be done.
    package var readyHeaders: HTTPHeaders?
    package var options: ResolvedOptions?
    package var uploadFile: URL?
    package var outputFile: URL?
    package var responseSerializer: (any ResponseSerializer)?
    package var expectedDigest: String?

    package init(request: URLRequest, readyHeaders: HTTPHeaders? = nil) {
        self.request = request
        self.readyHeaders = readyHeaders
    }
}

extension RequestBlueprint {
    /// The URL that an operation of this blueprint would send its first request to. Nothing is sent, no file is opened.
    ///
    /// - Parameter options: the manager's, over which the blueprint's go.
    /// - Throws: what the operation would fail with before a connection is opened.
    package func checkedURL(options: TransferOptions) throws(NetworkingError) -> URL {
        try PreparedRequest(self, parts: OperationParts(options: ResolvedOptions(options))).first.url
    }
}
