// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A transfer that libcurl had no room for: newer versions need file descriptors before the first connection. It ends
/// with the shortage, in this round or, when it is paused, after the pause. Network thread only.
final class UnstartedTransfer: Transfer {
    private let loop: EventLoop
    private let error: NetworkingError
    private var delegate: (any TransferDelegate)?
    private var isPaused = false

    init(loop: EventLoop, hostName: String, delegate: any TransferDelegate) {
        self.loop = loop
        self.delegate = delegate
        let shortage = DescriptorShortage.current
        let reason = shortage?.sentence ?? "libcurl has no memory, or not the cryptography that it needs"
        error = NetworkingError(
            .cannotConnect, "could not connect to \(hostName): \(reason)",
            underlying: shortage.map { POSIXError($0) } ?? POSIXError(.ENOMEM))
        endSoon()
    }

    let hasBegunSending = false

    func abort() -> TransferMetrics {
        delegate = nil
        return metrics
    }

    func pause() { isPaused = true }

    func resume(deadline: UInt64) {
        isPaused = false
        endSoon()
    }

    func resumeReceiving() {}

    private var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.evidence = .nothingSent
        return metrics
    }

    private func endSoon() {
        loop.atEndOfRound { self.end() }
    }

    private func end() {
        guard !isPaused, let delegate else { return }
        self.delegate = nil
        delegate.transferDidEnd(error: error, metrics: metrics)
    }
}

@available(*, unavailable)
extension UnstartedTransfer: Sendable {}
