// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

extension RequestOperation {
    /// Tells the upload's progress, if anybody wants to know. Called on the network thread; the handler runs elsewhere.
    func reportUpload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        report(shared.withLock { ($0.uploadProgress, $0.completionQueue) }, byteCount, total, expected)
    }

    /// Tells the download's progress, if anybody wants to know. Called on the network thread; the handler runs
    /// elsewhere.
    func reportDownload(_ byteCount: Int64, _ total: Int64, _ expected: Int64) {
        report(shared.withLock { ($0.downloadProgress, $0.completionQueue) }, byteCount, total, expected)
    }

    private func report(
        _ target: (handler: ProgressHandler?, queue: DispatchQueue?), _ byteCount: Int64, _ total: Int64,
        _ expected: Int64
    ) {
        guard let handler = target.handler else { return }
        (target.queue ?? Queues.callbacks).async { handler(byteCount, total, expected) }
    }
}
