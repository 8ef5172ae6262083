// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The blocks of the user's that decide on the way; each runs off the network thread. A finished operation keeps them
/// for its copies.
struct OperationBlocks: Sendable {
    typealias Redirect = RequestOperation.RedirectBlock

    var redirect: Redirect?
    var challenge: RequestOperation.ChallengeBlock?
    var cacheResponse: RequestOperation.CacheResponseBlock?
    var serverTrust: RequestOperation.ServerTrustBlock?
    var pinViolation: RequestOperation.PinViolationHandler?
    var needNewBodyStream: RequestOperation.BodyStreamBlock?

    var isEmpty: Bool {
        redirect == nil && challenge == nil && cacheResponse == nil && needNewBodyStream == nil && serverTrust == nil
            && pinViolation == nil
    }
}
