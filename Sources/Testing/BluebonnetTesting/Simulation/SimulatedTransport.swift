// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The transport of a `SimulatedNetwork`. Network thread only.
final class SimulatedTransport: Transport {
    private let network: SimulatedNetwork
    private let stage: NetworkBound<SimulatedStage>

    init(_ network: SimulatedNetwork) {
        self.network = network
        stage = NetworkBound(SimulatedStage())
    }

    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer {
        let transfer = SimulatedTransfer(request, delegate, network, stage)
        transfer.begin()
        return transfer
    }

    func closeIdleConnections() {}
}

@available(*, unavailable)
extension SimulatedTransport: Sendable {}

/// The running transfers of one simulated network, by number. Network thread only.
final class SimulatedStage {
    private var transfers: [Int: SimulatedTransfer] = [:]
    private var lastNumber = 0

    /// - Returns: the transfer's number.
    func add(_ transfer: SimulatedTransfer) -> Int {
        lastNumber += 1
        transfers[lastNumber] = transfer
        return lastNumber
    }

    func remove(_ number: Int) { transfers[number] = nil }

    /// The transfer with a number; nil if it has ended.
    subscript(number: Int) -> SimulatedTransfer? { transfers[number] }
}

@available(*, unavailable)
extension SimulatedStage: Sendable {}
