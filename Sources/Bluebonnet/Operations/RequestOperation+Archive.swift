// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking
internal import Synchronization

extension RequestOperation {
    /// An archive from which this operation can be run, or continued, in another process. Archiving does not change the
    /// operation: pause it first if it is to stop.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when the operation cannot be archived: its request was not
    ///   made yet, its body is a stream, or its client identity has a password or a key in memory.
    public func archive() async throws(NetworkingError) -> OperationArchive {
        guard let request else {
            throw NetworkingError(.invalidRequest, "the request has not been made yet, so there is no archive of it")
        }
        let parts = shared.withLock { $0.parts }
        let progress = await archivedProgress()
        return OperationArchive(
            request: try ArchivedRequest(originalRequest ?? request),
            options: try ArchivedOptions(parts.options.value),
            serializer: archivedSerializer, uploadFile: parts.uploadFile, part: progress.part ?? parts.continuation,
            outputFile: parts.outputFile, outputDirectory: parts.outputDirectory,
            receivedByteCount: progress.receivedByteCount ?? receivedByteCount,
            validator: (progress.record ?? parts.continuation?.record)?.validator.fieldValue)
    }

    /// The request before any redirect.
    private var originalRequest: URLRequest? {
        shared.withLock { state in
            if case .ready(let request) = state.source { return request }
            return nil
        }
    }

    /// Takes what an archive holds besides the request and the options.
    func take(_ archive: OperationArchive) {
        shared.withLock { state in
            state.extras.uploadFile = archive.uploadFile
            state.extras.outputFile = archive.outputFile
            state.extras.outputDirectory = archive.outputDirectory
            state.extras.continuation = archive.part
        }
    }

    private func archivedProgress() async -> BodyAssembly.Snapshot {
        await withCheckedContinuation { waiter in
            NetworkThread.shared.submit { [self] in
                waiter.resume(returning: runner?.snapshot ?? BodyAssembly.Snapshot())
            }
        }
    }
}

// MARK: - Copies

extension RequestOperation: NSCopying {
    /// Copies the operation like `copied()`; `zone` is ignored.
    public func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// Gives a new operation what a copy has of this one.
    func hand(over parts: RequestOperationState.Copied) {
        shared.withLock { $0.take(parts) }
    }
}

extension RequestOperationState {
    /// What a copy takes along: components and blocks, but nothing that happened.
    struct Copied {
        let source: RequestSource
        var options: ResolvedOptions { parts.options }
        fileprivate let parts: OperationParts
        fileprivate let state: RequestOperationState
    }

    /// - Parameter lastRequest: stands for a request whose maker was let go.
    func copied(lastRequest: URLRequest?) -> Copied {
        var source = source
        if case .used = source, let lastRequest { source = .ready(lastRequest) }
        return Copied(source: source, parts: parts, state: self)
    }

    fileprivate mutating func take(_ copied: Copied) {
        var new = OperationExtras()
        new.uploadFile = copied.parts.uploadFile
        new.outputFile = copied.parts.outputFile
        new.outputDirectory = copied.parts.outputDirectory
        new.blocks = copied.state.extras.blocks
        new.needsNewBodyStream = true
        new.uploadProgress = copied.state.extras.uploadProgress
        new.downloadProgress = copied.state.extras.downloadProgress
        extras = new
        completionQueue = copied.state.completionQueue
        completionGroup = copied.state.completionGroup
    }
}
