// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// What is known of an operation once its request is made; what is nil is as the operation has it.
struct RequestBlueprint: Sendable {
    var request: URLRequest
    /// The request's header fields with all that is added to them, checked and complete; nil where that is to be done.
    var readyHeaders: HTTPHeaders?
    var options: SharedOptions?
    var uploadFile: URL?
    var outputFile: URL?
    var responseSerializer: (any ResponseSerializer)?
    var expectedDigest: String?
}
