// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

extension RequestOperation {
    /// Returns an archive from which this operation can be run or continued in another process. Archiving does not
    /// change the operation: to stop it, pause it first.
    ///
    /// - Parameter includingSerializer: false omits the response serializer, which must then be given when an operation
    ///   is made from the archive. Default true.
    /// - Throws: `NetworkingError` with `invalidRequest` if the operation cannot be archived: its request was not made
    ///   yet, its body is a stream, its client identity has a password or a key in memory, or its response serializer
    ///   cannot be archived. A serializer cannot be archived if it is or contains a `DecodableResponseSerializer` or a
    ///   type that is not the library's. The error names the type.
    public func archive(includingSerializer: Bool = true) async throws(NetworkingError) -> OperationArchive {
        guard let request else {
            throw NetworkingError(.invalidRequest, "the request has not been created yet, so it cannot be archived")
        }
        let plan = state.plan
        let resolved = state.result?.serializer ?? plan.serializer
        let serializer = resolved?.serializer
        let record = includingSerializer ? try Self.record(of: serializer) : nil
        var options = plan.options.value
        let planned = plan.request?.urlRequest ?? request
        options.timeouts = plan.options.timeouts(for: planned)
        let progress = await archivedProgress()
        return OperationArchive(
            request: try ArchivedRequest(planned), options: try ArchivedOptions(options),
            serializer: record, acceptableStatusCodes: resolved?.statusCodesOfCall,
            leftOutSerializer: record == nil ? serializer.map { "\(type(of: $0))" } : nil,
            uploadFile: plan.uploadFile, part: progress.part ?? plan.continuation, outputFile: plan.outputFile,
            outputDirectory: plan.files.outputDirectory,
            receivedByteCount: progress.receivedByteCount ?? receivedByteCount,
            validator: (progress.record ?? plan.continuation?.record)?.validator.fieldValue,
            expectedDigest: plan.expectedDigest, computesDigest: plan.wantsDigest,
            idempotencyKey: plan.idempotencyKey, name: name, priority: queuePriority.rawValue)
    }

    private static func record(
        of serializer: (any ResponseSerializer)?
    ) throws(NetworkingError) -> SerializerRecord? {
        guard let serializer else { return nil }
        do {
            return try SerializerRecord(serializer)
        } catch {
            throw NetworkingError(
                .invalidRequest,
                "the response serializer \(error.type) cannot be archived: omit it with includingSerializer: false, "
                    + "and pass it to the operation that is created from the archive")
        }
    }

    private func archivedProgress() async -> BodyAssembly.Snapshot {
        await NetworkThread.shared.answer { [self] in runner?.snapshot ?? BodyAssembly.Snapshot() }
    }
}

// MARK: - Copies

extension RequestOperation: NSCopying {
    /// Copies the operation like `copied()`; `zone` is ignored.
    public func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// The plan of a copy of the operation.
    var planOfCopy: RequestPlan { state.plan.copied(lastRequest: state.result?.request) }

    /// Copies the properties of another operation that are not part of its plan.
    func copyDetails(of other: RequestOperation) {
        name = other.name
        if other.queuePriority != .normal { queuePriority = other.queuePriority }
        let details = other.state.details
        guard details.hasProgressHandlers else { return }
        state.changeDetails {
            ($0.uploadProgress, $0.downloadProgress) = (details.uploadProgress, details.downloadProgress)
        }
    }
}

extension RequestOperation {
    /// Copies the properties of an archive that are not part of the plan.
    func copyDetails(of archive: OperationArchive) {
        name = archive.name
        queuePriority = Operation.QueuePriority(rawValue: archive.priority) ?? .normal
    }
}

extension RequestPlan {
    init(_ archive: OperationArchive) throws(NetworkingError) {
        self.init(archive.request.request, options: ResolvedOptions(try archive.options.options()))
        files = RequestFiles(
            upload: archive.uploadFile, output: archive.outputFile, outputDirectory: archive.outputDirectory)
        continuation = archive.part
        expectedDigest = archive.expectedDigest
        wantsDigest = archive.computesDigest
        idempotencyKey = archive.idempotencyKey
    }
}
