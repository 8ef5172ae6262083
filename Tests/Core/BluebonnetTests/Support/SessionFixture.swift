// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension ScriptedNetwork {
    /// A session manager on this network, with a plain configuration.
    func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SessionManager {
        var configuration = SessionConfiguration()
        change(&configuration)
        return SessionManager(
            RequestOperationManager(baseURL: Self.url("/"), configuration.ofManager, services: services), configuration)
    }
}

extension SessionTask {
    /// Returns when the task has ended and its handler has run. Otherwise fails the test.
    func ends(at location: SourceLocation = #_sourceLocation) async {
        let hasEnded = Gate()
        operation.addBatchHandler { _ in hasEnded.open() }
        await hasEnded.wait(at: location)
        await becomes(false, at: location) { self.session.tasks.contains { $0 === self } }
    }

    /// Resumes the task and waits for its end.
    func ran(at location: SourceLocation = #_sourceLocation) async -> SessionTask {
        resume()
        await ends(at: location)
        return self
    }
}

/// Marks a queue so that the queue's work can be recognized.
struct QueueMark {
    private let key = DispatchSpecificKey<String>()

    init(_ queue: DispatchQueue, _ name: String) { queue.setSpecific(key: key, value: name) }

    /// Whether the calling thread runs the queue's work.
    var isHere: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

// Tasks without a handler, whose end the test observes in another way.
extension SessionManaging {
    func dataTask(with request: URLRequest) -> SessionTask { dataTask(with: request, completionHandler: nil) }

    func uploadTask(with request: URLRequest, from data: Data) -> SessionTask {
        uploadTask(with: request, from: data, completionHandler: nil)
    }

    func downloadTask(
        with request: URLRequest, progress: SessionTask.ProgressBlock? = nil,
        destination: SessionTask.Destination? = nil
    ) -> SessionTask {
        downloadTask(with: request, progress: progress, destination: destination, completionHandler: nil)
    }

    func downloadTask(withResumeData data: Data, destination: SessionTask.Destination? = nil) -> SessionTask {
        downloadTask(withResumeData: data, destination: destination, completionHandler: nil)
    }
}
