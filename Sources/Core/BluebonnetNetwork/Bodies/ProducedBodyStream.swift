// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
internal import Synchronization

/// The body stream of a request whose bytes a producer makes. It carries the producer through Foundation's form of the
/// request, and is not read.
package final class ProducedBodyStream: InputStream {
    private let producer: any BodyProducer
    private let isUsed = Atomic(false)

    package init(_ producer: any BodyProducer) {
        self.producer = producer
        super.init(data: Data())
    }

    /// Whether the body can be made again.
    package var isRestartable: Bool { producer.isRestartable }
    /// Whether a trailer section follows the body.
    package var hasTrailers: Bool { producer.hasTrailers }

    /// Returns the producer for one transfer.
    ///
    /// - Throws: `bodyStreamExhausted` for the second transfer, unless the producer is restartable.
    package func use() throws(NetworkingError) -> any BodyProducer {
        guard !isUsed.exchange(true, ordering: .relaxed) || isRestartable else {
            throw NetworkingError(
                .bodyStreamExhausted,
                "the body must be sent again, but its sequence can be read only once: pass a closure that makes it")
        }
        return producer
    }

    package override var streamStatus: Stream.Status { .notOpen }
    package override func open() {}
    package override func close() {}
    package override var hasBytesAvailable: Bool { false }
    package override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { -1 }
}
