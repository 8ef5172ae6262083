// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension HopSequence {
    /// Ends the hop sequence after its owner was released. The received part of the body is kept or removed as after a
    /// failure.
    func abandon() {
        let result = result(
            NetworkingError(.cancelled, "the operation was released"), TransferSummary(), nil, nil)
        Queues.processing.async { result.leaveFiles() }
    }
}

// MARK: - The consumer of a streamed body

extension HopSequence {
    /// The error of the consumer.
    var consumerError: NetworkingError { assembly.consumerError }

    /// The sink whose body is still being written after the end of the transfer; nil if there is nothing to wait for.
    var sinkToClose: (any BodySink)? { assembly.sink.flatMap { $0.closesLater ? $0 : nil } }

    /// The sink of an output file that is still being written.
    var fileBeingWritten: FileSink? { (assembly.sink as? FileSink).flatMap { $0.isBeingWritten ? $0 : nil } }
}
