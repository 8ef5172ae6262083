// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

/// Requests that a frame server answers, each on its own connection.
struct HTTP2FrameRun: Sendable {
    struct Outcome: Sendable {
        let answer: String
        let error: NetworkingError?
        /// The body in memory or in the file; nil if there is no such file.
        let body: String?
        /// Whether the request shared its connection with the sibling; false without a sibling.
        let isShared: Bool
    }

    private let server: HTTP2FrameServer
    private let method: String
    private let isSecure: Bool
    private let writesFiles: Bool
    private let hasSibling: Bool
    private let observesFrames: Bool

    /// - Parameters:
    ///   - hasSibling: whether another request waits for its response on the same connection.
    ///   - observesFrames: false for a transport that cannot observe the server's frames.
    init(
        _ server: HTTP2FrameServer, method: String = "POST", isSecure: Bool = true, writesFiles: Bool = false,
        hasSibling: Bool = false, observesFrames: Bool = true
    ) {
        (self.server, self.method, self.isSecure, self.writesFiles) = (server, method, isSecure, writesFiles)
        (self.hasSibling, self.observesFrames) = (hasSibling, observesFrames)
    }

    /// Requests every answer, up to 16 at a time.
    func outcomes(of answers: [String]) async throws -> [Outcome] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let options = try TransferOptions.trustingTestAuthority
        let services = observesFrames ? NetworkServices(limit: 64, limitPerOrigin: 64) : await Self.unobserved()
        return await withTaskGroup(of: Outcome.self) { group in
            var outcomes: [Outcome] = []
            for (index, answer) in answers.enumerated() {
                if index >= 16, let outcome = await group.next() { outcomes.append(outcome) }
                group.addTask {
                    let file = folder.url.appendingPathComponent("\(index)")
                    return await outcome(of: answer, options.with(answer, isSecure), services, file)
                }
            }
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }

    private func outcome(
        of answer: String, _ options: TransferOptions, _ services: NetworkServices, _ file: URL
    ) async -> Outcome {
        let sibling = hasSibling ? await startSibling(options, services) : nil
        let operation = operation(method, answer, options, services)
        if writesFiles { operation.outputFile = file }
        _ = await operation.run()
        let isShared = await ends(sibling, beside: operation)
        let body = writesFiles ? try? String(contentsOf: file, encoding: .utf8) : operation.responseString
        return Outcome(
            answer: answer, error: operation.error, body: body, isShared: isShared)
    }

    private func operation(
        _ method: String, _ answer: String, _ options: TransferOptions, _ services: NetworkServices
    ) -> RequestOperation {
        let request = URLRequest(method, server.url(answer, isSecure: isSecure))
        return RequestOperation(
            plan: RequestPlan(request, options: ResolvedOptions(options)),
            services: services)
    }

    /// Starts a request on the same connection, and waits for the beginning of its response. The rest never comes.
    private func startSibling(_ options: TransferOptions, _ services: NetworkServices) async -> RequestOperation {
        let sibling = operation("POST", "head.data-1.silent", options, services)
        let hasBegun = Observed(false)
        sibling.onDownloadProgress = { _, _, _ in hasBegun.update { $0 = true } }
        sibling.start()
        await hasBegun.becomes(true)
        return sibling
    }

    /// Ends the sibling, and returns whether the sibling used the operation's connection. The operation's summary
    /// shows this, unless libcurl has tried another connection since. Otherwise the sibling must fail together with
    /// the connection, and not at its idle limit.
    private func ends(_ sibling: RequestOperation?, beside operation: RequestOperation) async -> Bool {
        guard let sibling else { return false }
        if operation.summary.isReused { sibling.cancel() }
        await sibling.waitAsOwner()
        return operation.summary.isReused || [.badServerResponse, .connectionLost].contains(sibling.code)
    }

    /// A separate transport that cannot observe frames.
    private static func unobserved() async -> NetworkServices {
        await withCheckedContinuation { waiter in
            NetworkThread.shared.submit {
                let transport = CurlTransport(
                    loop: NetworkThread.shared.eventLoop, register: ConnectionRegister(), observesFrames: false)
                waiter.resume(returning: NetworkServices(limit: 64, limitPerOrigin: 64, transport: transport))
            }
        }
    }
}

extension TransferOptions {
    /// The options for one answer. Requests with different address overrides have different connections.
    fileprivate func with(_ answer: String, _ isSecure: Bool) -> TransferOptions {
        var options = self
        options.httpVersion = isSecure ? .negotiated : .http2PriorKnowledge
        options.timeouts.idle = .seconds(5)
        options.addressOverrides = ["\(answer.replacing("/", with: "-then-")).invalid": "127.0.0.1"]
        return options
    }
}
