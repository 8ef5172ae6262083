// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
internal import Synchronization

extension RequestOperation {
    /// The upload as Foundation's `Progress`, to show or to add to a parent. Its unit is bytes; it is indeterminate
    /// while the length is unknown. Cancelling, pausing or resuming the progress cancels, pauses or resumes the
    /// operation. The progress changes a few times a second at most, on the queue of the handlers.
    public var uploadProgress: Progress { report(at: \.extras.uploadReport) }

    /// The download as Foundation's `Progress`; see `uploadProgress`.
    public var downloadProgress: Progress { report(at: \.extras.downloadReport) }

    private func report(at path: any WritableKeyPath<RequestOperationState, Progress?> & Sendable) -> Progress {
        let made = Progress(totalUnitCount: -1)
        made.kind = .file
        made.cancellationHandler = { [weak self] in self?.cancel() }
        made.pausingHandler = { [weak self] in self?.pause() }
        made.resumingHandler = { [weak self] in self?.resume() }
        return shared.withLock { state in
            let report = state[keyPath: path] ?? made
            state[keyPath: path] = report
            return report
        }
    }
}

// MARK: - Telling

extension RequestOperation {
    /// Tells the upload's progress, if anybody wants to know. Called on the network thread; the handler runs elsewhere.
    func reportUpload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        let target = shared.withLock { ($0.boxedExtras?.value.upload, $0.completionQueue) }
        tell(target.0, on: target.1, byteCount, total, expected)
    }

    /// Tells the download's progress, if anybody wants to know. Called on the network thread; the handler runs
    /// elsewhere.
    func reportDownload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        let target = shared.withLock { state in
            state.received = ByteProgress(count: total, expected: expected)
            return (state.boxedExtras?.value.download, state.completionQueue)
        }
        tell(target.0, on: target.1, byteCount, total, expected)
    }

    private func tell(
        _ target: OperationExtras.ProgressTarget?, on queue: DispatchQueue?, _ byteCount: Int64, _ total: Int64,
        _ expected: Int64
    ) {
        guard let target, target.handler != nil || target.report != nil else { return }
        (queue ?? Queues.callbacks).async {
            target.report?.totalUnitCount = expected
            target.report?.completedUnitCount = total
            target.handler?(byteCount, total, expected)
        }
    }

    /// A download whose length was not known is as long as it was, once it succeeded.
    func finishProgress() {
        let (report, count, queue) = shared.withLock { state in
            (state.boxedExtras?.value.downloadReport, state.result?.receivedByteCount ?? 0, state.completionQueue)
        }
        guard let report, error == nil else { return }
        (queue ?? Queues.callbacks).async {
            report.totalUnitCount = count
            report.completedUnitCount = count
        }
    }

    /// The body bytes that have arrived, and how many there are in all; -1 when that is not known.
    package var byteProgress: ByteProgress {
        shared.withLock { state in
            guard let result = state.result else { return state.received }
            return ByteProgress(count: result.receivedByteCount, expected: result.receivedByteCount)
        }
    }
}

extension OperationExtras {
    /// Who is told of progress.
    struct ProgressTarget: Sendable {
        let handler: RequestOperation.ProgressHandler?
        let report: Progress?
    }

    fileprivate var upload: ProgressTarget { ProgressTarget(handler: uploadProgress, report: uploadReport) }
    fileprivate var download: ProgressTarget { ProgressTarget(handler: downloadProgress, report: downloadReport) }
}
