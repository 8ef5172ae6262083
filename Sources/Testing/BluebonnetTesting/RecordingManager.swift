// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation
internal import FoundationNetworking

extension RequestOperationManager {
    /// Makes a manager whose requests are answered from a recording, or whose traffic is recorded.
    ///
    /// ```swift
    /// let recording = try TrafficRecording(file: file, mode: .recordIfMissing)
    /// let manager = RequestOperationManager(baseURL: shop, recording: recording)
    /// let user: User = try await manager.get("me")
    /// try recording.expectAllPlayed()
    /// ```
    /// A recording contains requests and responses as they pass the connection: each hop of a redirect and each
    /// attempt is a separate exchange. When recording, requests are sent through a separate manager with the proxy,
    /// the trust, the time limits, the cookie jar and the protocol version of `configuration`. Everything else works
    /// as with `init(baseURL:configuration:clock:answering:)`. The program's credentials are sent unchanged, and are
    /// not recorded.
    ///
    /// - Parameters:
    ///   - baseURL: the URL that relative URLs are resolved against.
    ///   - configuration: limits and options.
    ///   - clock: the clock of time limits, retries and delays. Default nil: the machine's clock, which is required
    ///     for recording.
    ///   - recording: the recording. A request that the recording lacks fails with `invalidRequest`; the text shows
    ///     the most similar recorded request.
    public convenience init(
        baseURL: URL?, configuration: Configuration = Configuration(), clock: TestClock? = nil,
        recording: TrafficRecording
    ) {
        let sender = recording.isPlayed ? nil : RecordingSender(configuration)
        self.init(baseURL: baseURL, configuration: configuration, clock: clock) { request in
            guard let sender else { return recording.answer(to: request) }
            let exchange = await sender.exchange(for: request)
            // A cancelled exchange does not show how the server behaves, so it is not recorded.
            try Task.checkCancellation()
            recording.add(exchange)
            return exchange.answer
        }
    }
}

/// Sends requests to their servers, without following redirects, and returns the exchanges. Any thread.
private final class RecordingSender: Sendable {
    private let manager: RequestOperationManager

    init(_ configuration: RequestOperationManager.Configuration) {
        var plain = RequestOperationManager.Configuration()
        plain.maximumConcurrentTransferCountPerOrigin = configuration.maximumConcurrentTransferCountPerOrigin
        plain.maximumConcurrentTransferCount = configuration.maximumConcurrentTransferCount
        plain.transferOptions = configuration.transferOptions
        // The recording manager applies these itself.
        plain.transferOptions.retryPolicy = nil
        plain.transferOptions.authenticator = nil
        plain.transferOptions.requestAdapters = []
        plain.transferOptions.responseCache = nil
        plain.transferOptions.credential = nil
        plain.transferOptions.netrc = nil
        plain.transferOptions.usesCredentialStorage = false
        plain.responseSerializer = HTTPResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: nil))
        manager = RequestOperationManager(configuration: plain)
        manager.onRedirect = { _, _, _ in nil }
    }

    func exchange(for sent: SentRequest) async -> RecordedExchange {
        var exchange = RecordedExchange(sent)
        var request = URLRequest(url: sent.url)
        request.httpMethod = sent.method
        // The library sets the codings that it can decode. Bodies are recorded without content coding.
        for field in sent.headers where field.name.lowercased() != "accept-encoding" {
            request.addValue(field.value, forHTTPHeaderField: field.name)
        }
        if !sent.body.isEmpty { request.httpBody = sent.body }
        let operation = manager.operation(with: request)
        do throws(NetworkingError) {
            _ = try await manager.run(operation)
            let body = try await operation.value(as: Data.self)
            exchange.setResponse(operation.statusCode ?? 0, operation.responseHeaders, body)
        } catch {
            exchange.setFailure(error)
        }
        return exchange
    }
}
