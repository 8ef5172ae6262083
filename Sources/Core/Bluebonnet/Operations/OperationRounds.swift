// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The objects that all operations of the process share on the network thread: they collect work for the end of a
/// round, and wait for connectivity. Network thread only.
///
/// Only this file passes the process's event loop to these objects; tests make them for a separate loop.
final class OperationRounds {
    static let process = NetworkBound(
        OperationRounds(loop: NetworkThread.shared.eventLoop, monitor: NetworkMonitor.shared.value))

    let preparation: PreparationRound
    let processing: CompletionBatch
    let writes: WriteCoalescer
    let connectivity: ConnectivityGate
    let flights = CacheFlights()

    init(loop: EventLoop, monitor: NetworkMonitor) {
        preparation = PreparationRound(loop: loop)
        processing = CompletionBatch(loop: loop)
        writes = WriteCoalescer(loop: loop)
        connectivity = ConnectivityGate(monitor: monitor, loop: loop)
    }
}

@available(*, unavailable)
extension OperationRounds: Sendable {}
