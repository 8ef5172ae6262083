// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import Bluebonnet

/// Records all blocks, handlers and notifications of one session in order, and marks those that arrive on the wrong
/// queue.
final class SessionRecorder: Sendable {
    /// The queue on which an event must arrive.
    private enum Place {
        case delegate, completion, library
    }

    /// The answers of the blocks that make decisions.
    struct Answers: Sendable {
        var disposition = SessionTask.ResponseDisposition.allow
        var challenge = ChallengeAnswer.performDefault
        /// The answer to server trust challenges. If it is set, nothing is cached.
        var server: ServerTrustAnswer?
        /// The target to which the session's block moves a downloaded file.
        var target: URL?
    }

    let events = Observed([String]())
    let session: SessionManager
    private let delegateMark: QueueMark
    private let completionMark: QueueMark
    nonisolated(unsafe) private var tokens: [any NSObjectProtocol] = []  // safe: changed in init only

    /// - Parameter hasCompletionQueue: whether the session gets a completion queue. Otherwise handlers run on its
    ///   delegate queue.
    init(_ session: SessionManager, hasCompletionQueue: Bool = false, _ answers: Answers = Answers()) {
        self.session = session
        delegateMark = QueueMark(session.delegateQueue, "delegate")
        if hasCompletionQueue { session.completionQueue = DispatchQueue(label: "test.completion") }
        completionMark = session.completionQueue.map { QueueMark($0, "completion") } ?? delegateMark
        installDecisions(answers)
        installReports()
        observe()
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    /// The events. Equal events in a row count once.
    var order: [String] {
        events.value.reduce(into: []) { order, event in if order.last != event { order.append(event) } }
    }

    /// Events on the library's queues. Only work that needs an event's answer waits for the event.
    private static let ofLibrary: Set = ["server", "challenge", "stream", "cache"]

    /// Whether exactly the wanted events came, in this order. An event on the library's queues only has to come
    /// before the event that follows it.
    func kept(_ wanted: [String]) -> Bool { Self.kept(wanted, in: order) }

    static func kept(_ wanted: [String], in order: [String]) -> Bool {
        let library = ofLibrary
        guard order.filter({ !library.contains($0) }) == wanted.filter({ !library.contains($0) }) else { return false }
        return wanted.indices.allSatisfy { index in
            guard library.contains(wanted[index]) else { return true }
            let next = wanted[index...].first { !library.contains($0) }
            guard let place = order.firstIndex(of: wanted[index]), let next, let limit = order.firstIndex(of: next)
            else { return false }
            return place < limit
        } && order.count == wanted.count
    }

    /// Returns when the event was recorded.
    func sees(_ event: String) async { await events.becomes { $0.contains(event) } }

    private func record(_ event: String, on place: Place) {
        let isRight =
            switch place {
            case .delegate: delegateMark.isHere
            case .completion: completionMark.isHere
            case .library: !delegateMark.isHere && !completionMark.isHere
            }
        events.append(isRight ? event : event + " on another queue")
    }

    private func installDecisions(_ answers: Answers) {
        if let server = answers.server {
            session.blocks.sessionDidReceiveChallenge = { [weak self] _ in
                self?.record("server", on: .library)
                return server
            }
        }
        session.blocks.taskDidReceiveChallenge = { [weak self] _, _ in
            self?.record("challenge", on: .library)
            return answers.challenge
        }
        session.blocks.taskNeedNewBodyStream = { [weak self] _ in
            self?.record("stream", on: .library)
            return InputStream(data: Data("body".utf8))
        }
        session.blocks.taskWillPerformHTTPRedirection = { [weak self] _, _, proposed in
            self?.record("redirect", on: .delegate)
            return proposed
        }
        session.blocks.dataTaskDidReceiveResponse = { [weak self] _, _ in
            self?.record("response", on: .delegate)
            return answers.disposition
        }
        session.blocks.dataTaskWillCacheResponse = { [weak self] _, proposed in
            self?.record("cache", on: .library)
            return proposed
        }
        session.blocks.downloadTaskDidFinishDownloading = { [weak self] task, _ in
            self?.record("finished \(task.state)", on: .delegate)
            return answers.target
        }
    }

    private func installReports() {
        session.blocks.sessionDidBecomeInvalid = { [weak self] in self?.record("invalid", on: .delegate) }
        session.blocks.taskDidSendBodyData = { [weak self] _, _, _, _ in self?.record("sent", on: .delegate) }
        session.blocks.taskDidFinishCollectingMetrics = { [weak self] _, _ in self?.record("metrics", on: .delegate) }
        session.blocks.taskDidComplete = { [weak self] task, error in
            self?.record("\(task.state) \(error?.code.rawValue ?? "well")", on: .delegate)
        }
        session.blocks.dataTaskDidBecomeDownloadTask = { [weak self] _ in self?.record("became", on: .delegate) }
        session.blocks.dataTaskDidReceiveData = { [weak self] _, _ in self?.record("data", on: .delegate) }
        session.blocks.downloadTaskDidWriteData = { [weak self] _, _, _, _ in self?.record("wrote", on: .delegate) }
        session.blocks.downloadTaskDidResume = { [weak self] _, _, _ in self?.record("continued", on: .delegate) }
    }

    /// The notification names are written as in a program for AFNetworking.
    private func observe() {
        let places: [(name: String, place: Place)] = [
            ("task.resume", .delegate), ("task.suspend", .delegate), ("task.complete", .completion),
            ("session.download.file-manager-succeed", .delegate), ("session.download.file-manager-error", .delegate),
            ("session.invalidate", .delegate),
        ]
        tokens = places.map { name, place in
            let full = Notification.Name("com.alamofire.networking." + name)
            return NotificationCenter.default.addObserver(forName: full, object: nil, queue: nil) { [weak self] post in
                guard let self else { return }
                let isOurs = (post.object as? SessionTask)?.session === session.tasksAndBlocks
                if isOurs || post.object as? SessionManager === session { record("posted " + name, on: place) }
            }
        }
    }
}

// Tasks whose handlers are recorded too.
extension SessionRecorder {
    private var up: SessionTask.ProgressBlock { { [weak self] _ in self?.record("up", on: .delegate) } }
    private var down: SessionTask.ProgressBlock { { [weak self] _ in self?.record("down", on: .delegate) } }

    private var handler: SessionTask.DataCompletion {
        { [weak self] _, _, error in self?.record("handler \(error?.code.rawValue ?? "well")", on: .completion) }
    }

    func dataTask(_ request: URLRequest) -> SessionTask {
        session.dataTask(with: request, uploadProgress: up, downloadProgress: down, completionHandler: handler)
    }

    func uploadTask(_ request: URLRequest, _ body: String) -> SessionTask {
        session.uploadTask(with: request, from: Data(body.utf8), progress: up, completionHandler: handler)
    }

    func streamedUploadTask(_ request: URLRequest) -> SessionTask {
        session.uploadTask(withStreamedRequest: request, progress: up, completionHandler: handler)
    }

    private func destination(_ target: URL) -> SessionTask.Destination {
        { [weak self] _, _ in
            self?.record("destination", on: .delegate)
            return target
        }
    }

    private var fileHandler: SessionTask.DownloadCompletion {
        { [handler] response, file, error in handler(response, file, error) }
    }

    func downloadTask(_ request: URLRequest, to target: URL) -> SessionTask {
        session.downloadTask(
            with: request, progress: down, destination: destination(target), completionHandler: fileHandler)
    }

    func downloadTask(resuming data: Data, to target: URL) -> SessionTask {
        session.downloadTask(
            withResumeData: data, progress: down, destination: destination(target), completionHandler: fileHandler)
    }
}
