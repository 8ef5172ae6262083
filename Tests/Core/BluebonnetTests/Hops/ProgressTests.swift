// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// `Foundation.Progress` as operations report it.
    @Suite struct ProgressTests {
        private static let body = Data.patterned(byteCount: 500_000)

        @Test func progressEndsAtTheTotal() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let operation = RequestOperation(request: URLRequest("POST", server.url(), body: "12345"))
                let (upload, download) = (operation.uploadProgress, operation.downloadProgress)
                #expect(download.isIndeterminate)
                #expect(operation.downloadProgress === download)
                await finishWithHandlers(operation)
                #expect(upload.completedUnitCount == 5 && upload.totalUnitCount == 5)
                #expect(download.completedUnitCount == 500_000 && download.totalUnitCount == 500_000)
                #expect(download.isFinished)
            }
        }

        @Test func progressWithoutALengthIsIndeterminateUntilTheEnd() async throws {
            try await TestServer.answering(.chunked(chunks: [Self.body])) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                let download = operation.downloadProgress
                await finishWithHandlers(operation)
                #expect(download.completedUnitCount == 500_000 && download.totalUnitCount == 500_000)
            }
        }

        private func finishWithHandlers(_ operation: RequestOperation) async {
            let ended = Gate()
            operation.completionBlock = { ended.open() }
            operation.start()
            await ended.wait()
        }

        @Test func cancellingTheProgressCancelsTheOperation() async throws {
            try await TestServer.answering(.steps([.stall])) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                let progress = operation.downloadProgress
                operation.start()
                await server.waitForRequests(count: 1)
                progress.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
            }
        }

        @Test func pausingAndResumingTheProgressControlsTheOperation() async throws {
            let script: TestServer.Script = { $0.connection == 1 ? .steps([.stall]) : .response(body: "done") }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                let progress = operation.downloadProgress
                operation.start()
                await server.waitForRequests(count: 1)
                progress.pause()
                await server.waitForConnectionsToClose()
                #expect(operation.isPaused)
                progress.resume()
                try await operation.waitUntilEnded()
                #expect(operation.responseString == "done")
            }
        }

        @Test func progressDoesNotKeepTheOperationAlive() {
            weak var gone: RequestOperation?
            let progress: Progress
            do {
                let operation = RequestOperation(request: URLRequest(url: URL(fileURLWithPath: "/")))
                gone = operation
                progress = operation.downloadProgress
            }
            #expect(gone == nil)
            #expect(!progress.isCancelled)
        }

        @Test func childProgressCountsInItsParent() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                let whole = Progress(totalUnitCount: 1)
                whole.addChild(operation.downloadProgress, withPendingUnitCount: 1)
                await finishWithHandlers(operation)
                #expect(whole.completedUnitCount == 1)
            }
        }
    }
}
