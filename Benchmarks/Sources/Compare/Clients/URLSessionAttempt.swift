// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Foundation
import FoundationNetworking
import Synchronization

/// Foundation's URLSession on Linux, with a completion handler for each task.
final class URLSessionAttempt: AttemptClient {
    private let session: URLSession

    init(_ plan: Plan) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(plan.limits.idle)
        configuration.timeoutIntervalForResource = TimeInterval(plan.limits.total)
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.urlCache = nil
        session = URLSession(
            configuration: configuration, delegate: ChallengeDelegate(plan.requests), delegateQueue: nil)
    }

    func send(_ request: Plan.Request, _ index: Int) async -> Outcome {
        do {
            let own = try urlRequest(request)
            let session = session
            return await withCheckedContinuation { continuation in
                let task = Self.task(session, own, request) { status, error in
                    let outcome = status.map { Outcome.success(index, status: $0) }
                    continuation.resume(returning: outcome ?? .failure(index, error ?? "no error and no response"))
                }
                if let delay = request.cancelsAfter {
                    Task {
                        try? await Task.sleep(for: .milliseconds(delay))
                        task.cancel()
                    }
                }
                task.resume()
            }
        } catch {
            return .failure(index, "\(error)")
        }
    }

    func shutDown() async { session.invalidateAndCancel() }

    private func urlRequest(_ request: Plan.Request) throws -> URLRequest {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        var own = URLRequest(url: url)
        own.httpMethod = request.method
        for field in request.fields { own.addValue(field.value, forHTTPHeaderField: field.name) }
        own.httpBody = try request.sentData
        return own
    }

    /// - Parameter end: called with the status and nil, or with nil and an error.
    private static func task(
        _ session: URLSession, _ own: URLRequest, _ request: Plan.Request,
        _ end: @escaping @Sendable (Int?, String?) -> Void
    ) -> URLSessionTask {
        let output = request.output
        let tell: @Sendable (URLResponse?, (any Error)?, () throws -> Void) -> Void = { response, error, keep in
            if let error { return end(nil, "\(error)") }
            do {
                try keep()
                // A response of another scheme than HTTP has no status.
                end((response as? HTTPURLResponse)?.statusCode ?? 0, nil)
            } catch {
                end(nil, "\(error)")
            }
        }
        if request.downloads {
            return session.downloadTask(with: own) { location, response, error in
                tell(response, error) {
                    if let location { try FileManager.default.moveItem(at: location, to: output) }
                }
            }
        }
        let keep: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
            tell(response, error) { try (data ?? Data()).write(to: output) }
        }
        if let file = request.sentFile { return session.uploadTask(with: own, fromFile: file, completionHandler: keep) }
        return session.dataTask(with: own, completionHandler: keep)
    }
}

/// Answers the challenges of a request's own origin once, as a careful program does.
private final class ChallengeDelegate: NSObject, URLSessionTaskDelegate {
    private let credentials: [(host: String, port: Int, credential: URLCredential)]

    init(_ requests: [Plan.Request]) {
        credentials = requests.compactMap { request in
            guard let given = request.credential, let url = URL(string: request.url), let host = url.host else {
                return nil
            }
            let credential = URLCredential(user: given.user, password: given.password, persistence: .none)
            return (host, url.port ?? 80, credential)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        let own = credentials.first { $0.host == space.host && $0.port == space.port }
        guard let own else {
            return completionHandler(.performDefaultHandling, nil)
        }
        guard challenge.previousFailureCount == 0 else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        completionHandler(.useCredential, own.credential)
    }
}
