// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A transport in memory that answers every request with status 200 and no body, in the next round of the event loop:
/// what is measured over it is the library's own cost. Network thread only; it knows no socket.
final class InstantTransport: Transport {
    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer {
        let transfer = InstantTransfer(request.url, delegate)
        NetworkThread.shared.eventLoop.atEndOfRound(.other, transfer)
        return transfer
    }

    func closeIdleConnections() {}
}

@available(*, unavailable)
extension InstantTransport: Sendable {}

/// One transfer of an `InstantTransport`. Network thread only.
private final class InstantTransfer: Transfer, RoundEndTask {
    private static let headers = HeaderFields(
        FieldBlock([HeaderFields.Field(name: "Content-Length", value: "0")]))

    let hasBegunSending = true
    private let url: URL
    private var delegate: (any TransferDelegate)?
    private var isPaused = false
    private var isDue = false

    init(_ url: URL, _ delegate: any TransferDelegate) {
        (self.url, self.delegate) = (url, delegate)
    }

    func abort() -> TransferMetrics {
        delegate = nil
        return TransferMetrics()
    }

    func pause() { isPaused = true }

    func resumeReceiving() {}

    func resume(deadline: UInt64) {
        isPaused = false
        if isDue { answer() }
    }

    func roundEnds() { answer() }

    private func answer() {
        isDue = true
        guard !isPaused, let delegate else { return }
        self.delegate = nil
        var failure: NetworkingError?
        do throws(NetworkingError) {
            try delegate.transferDidReceive(head: ResponseHead(url: url, statusCode: 200, headers: Self.headers))
        } catch {
            failure = error
        }
        delegate.transferDidEnd(error: failure, metrics: TransferMetrics())
    }
}

@available(*, unavailable)
extension InstantTransfer: Sendable {}

extension RequestOperationManager {
    /// For benchmarks: a manager whose requests never leave the process and are answered at once.
    @_spi(Benchmarks) public static func inMemory(
        limit: Int = 64, governor: Governor? = nil
    ) -> RequestOperationManager {
        let services = NetworkServices(
            limit: limit, limitPerOrigin: limit, transport: InstantTransport(), governor: governor)
        return RequestOperationManager(baseURL: nil, services: services)
    }
}
