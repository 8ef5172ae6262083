// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What the operations of the process share on the network thread: work that is collected for the end of a round, and
/// the wait for connectivity. Network thread only.
///
/// These objects get the process's event loop in this file only; tests make them for a loop of their own.
final class OperationRounds {
    static let process = NetworkBound(
        OperationRounds(loop: NetworkThread.shared.eventLoop, monitor: NetworkMonitor.shared.value))

    let preparation: PreparationRound
    let processing: ProcessingRound
    let writes: WriteCoalescer
    let connectivity: ConnectivityGate

    init(loop: EventLoop, monitor: NetworkMonitor) {
        preparation = PreparationRound(loop: loop)
        processing = ProcessingRound(loop: loop)
        writes = WriteCoalescer(loop: loop)
        connectivity = ConnectivityGate(monitor: monitor, loop: loop)
    }
}

@available(*, unavailable)
extension OperationRounds: Sendable {}
