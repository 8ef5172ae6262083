// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking
internal import Synchronization

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

extension OperationBlocks {
    /// The blocks as an exchange asks them; nil where it has none to ask.
    func bound(to operation: RequestOperation) -> Box<ExchangeBlocks>? {
        guard !isEmpty else { return nil }
        var bound = ExchangeBlocks()
        if let redirect { bound.redirect = { await redirect(operation, $0, $1) } }
        if let challenge { bound.challenge = { await challenge(operation, $0) } }
        if let serverTrust { bound.serverTrust = { await serverTrust(operation, $0) } }
        if let pinViolation { bound.pinViolation = { operation.report($0, to: pinViolation) } }
        bound.needNewBodyStream = needNewBodyStream
        return Box(bound)
    }
}

extension RequestOperationState {
    /// The parts in force.
    var parts: OperationParts {
        OperationParts(options: resolvedOptions, extras: boxedExtras, streamOutput: boxedExtras?.value.streamOutput)
    }
}

extension OperationExtras {
    fileprivate var streamOutput: StreamOutput? {
        chunkPipe.map(StreamOutput.chunks) ?? outputStream.map(StreamOutput.stream)
    }
}

extension Box: RequestExtras where Value == OperationExtras {
    var uploadFile: URL? { value.uploadFile }
    var outputFile: URL? { value.outputFile }
    var outputDirectory: OutputDirectory { value.outputDirectory }
    var needsNewBodyStream: Bool { value.needsNewBodyStream }
    var continuation: ArchivedPart? { value.continuation }
}

extension RequestOperation: ExchangeOwner {
    /// What the request is made of, and the parts in force with the blocks that know their operation.
    var sourceAndParts: (source: RequestSource, parts: OperationParts) {
        let (source, parts, extras) = shared.withLock { ($0.source, $0.parts, $0.boxedExtras) }
        guard let blocks = extras?.value.blocks.bound(to: self) else { return (source, parts) }
        var bound = parts
        bound.blocks = blocks
        return (source, bound)
    }

    func noteLateParts(of prepared: PreparedRequest) {
        guard prepared.hasLateParts else { return }
        let late = LateParts(serializer: prepared.responseSerializer, expectedDigest: prepared.expectedDigest)
        shared.withLock { $0.extras.late = late }
    }

    func handle(_ event: ExchangeEvent) { runner?.handle(event) }
}
