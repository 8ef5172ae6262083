// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

@testable import Bluebonnet

/// The ways to make a task.
enum TaskMaking: CaseIterable {
    case data, upload, download, becomingDownload

    /// The answer of the response block.
    var disposition: SessionTask.ResponseDisposition { self == .becomingDownload ? .becomeDownload : .allow }

    var firstKind: SessionTask.Kind {
        switch self {
        case .data, .becomingDownload: .data
        case .upload: .upload
        case .download: .download
        }
    }

    var lastKind: SessionTask.Kind { self == .becomingDownload ? .download : firstKind }

    /// Makes a task whose blocks all keep `end` alive. The handler calls `end` with the error.
    func task(
        _ session: SessionManager, _ network: ScriptedNetwork, path: String = "/a",
        _ end: @escaping @Sendable (_ code: String) -> Void
    ) -> SessionTask {
        let hold: SessionTask.ProgressBlock = { _ in withExtendedLifetime(end) {} }
        let handler: SessionTask.DataCompletion = { _, _, error in end(error?.code.rawValue ?? "well") }
        if self == .becomingDownload { session.blocks.dataTaskDidReceiveResponse = { _, _ in .becomeDownload } }
        switch self {
        case .data, .becomingDownload:
            return session.dataTask(
                with: network.request(path), uploadProgress: hold, downloadProgress: hold, completionHandler: handler)
        case .upload:
            return session.uploadTask(
                with: network.request(path, method: "POST"), from: Data("x".utf8), progress: hold,
                completionHandler: handler)
        case .download:
            return session.downloadTask(
                with: network.request(path), progress: hold,
                destination: { file, _ in withExtendedLifetime(end) { file } },
                completionHandler: { response, file, error in handler(response, file, error) })
        }
    }
}

extension SessionBlocks {
    /// Sets every kind of block. Each block keeps `retained` alive.
    mutating func holding(_ retained: some Sendable, answer: SessionTask.ResponseDisposition) {
        taskWillPerformHTTPRedirection = { _, _, proposed in withExtendedLifetime(retained) { proposed } }
        taskDidReceiveChallenge = { _, _ in withExtendedLifetime(retained) { .performDefault } }
        taskNeedNewBodyStream = { _ in withExtendedLifetime(retained) { nil } }
        dataTaskDidReceiveResponse = { _, _ in withExtendedLifetime(retained) { answer } }
        dataTaskDidBecomeDownloadTask = { _ in withExtendedLifetime(retained) {} }
        dataTaskDidReceiveData = { _, _ in withExtendedLifetime(retained) {} }
        dataTaskWillCacheResponse = { _, proposed in withExtendedLifetime(retained) { proposed } }
        taskDidSendBodyData = { _, _, _, _ in withExtendedLifetime(retained) {} }
        downloadTaskDidFinishDownloading = { _, _ in withExtendedLifetime(retained) { nil } }
        downloadTaskDidWriteData = { _, _, _, _ in withExtendedLifetime(retained) {} }
        downloadTaskDidResume = { _, _, _ in withExtendedLifetime(retained) {} }
        taskDidFinishCollectingMetrics = { _, _ in withExtendedLifetime(retained) {} }
        taskDidComplete = { _, _ in withExtendedLifetime(retained) {} }
        sessionDidBecomeInvalid = { withExtendedLifetime(retained) {} }
    }
}
