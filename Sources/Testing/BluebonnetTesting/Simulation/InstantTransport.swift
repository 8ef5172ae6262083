// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import Foundation

/// A transport in memory that answers every request with status 200 and no body, in the next turn of the network
/// thread. Benchmarks use it to measure the library's own cost; a `SimulatedNetwork` would add the cost of its tasks
/// and steps. Network thread only.
package final class InstantTransport: Transport {
    private let stage = NetworkBound(InstantStage())

    package init() {}

    package func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer {
        let transfer = InstantTransfer(request.url, delegate)
        if stage.value.add(transfer) { NetworkThread.shared.submit { [stage] in stage.value.answer() } }
        return transfer
    }

    package func closeIdleConnections() {}
}

@available(*, unavailable)
extension InstantTransport: Sendable {}

/// The transfers that began in one turn. Network thread only.
private final class InstantStage {
    private var transfers: [InstantTransfer] = []

    /// - Returns: whether the transfer is the first of its turn.
    func add(_ transfer: InstantTransfer) -> Bool {
        transfers.append(transfer)
        return transfers.count == 1
    }

    func answer() {
        let due = transfers
        transfers = []
        for transfer in due { transfer.answer() }
    }
}

@available(*, unavailable)
extension InstantStage: Sendable {}

/// One transfer of an `InstantTransport`. Network thread only.
private final class InstantTransfer: Transfer {
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

    func answer() {
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
    /// Makes a manager for benchmarks, whose requests never leave the process and are answered at once.
    @_spi(Benchmarks) public static func inMemory(
        limit: Int = 64, governor: Governor? = nil
    ) -> RequestOperationManager {
        var configuration = Configuration()
        configuration.maximumConcurrentTransferCount = limit
        configuration.maximumConcurrentTransferCountPerOrigin = limit
        configuration.governor = governor
        return RequestOperationManager(
            optional: nil, configuration, simulation: Simulation(InstantTransport()))
    }
}
