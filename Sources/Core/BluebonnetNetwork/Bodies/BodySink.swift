// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The destination of a response's decoded body. Network thread only.
///
/// A sink accepts every byte, or the operation fails: a sink that cannot accept a whole piece throws.
package protocol BodySink: AnyObject {
    /// The number of bytes in the sink: the offset at which a paused transfer continues.
    var byteCount: Int64 { get }
    /// The maximum number of bytes that the sink may contain; nil without a limit.
    var byteLimit: Int? { get }
    /// Appends a piece.
    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError)
    /// Submits all buffered bytes for writing.
    func settle()
    /// Ends a complete body. Its pending bytes may be written later, when the operation is finished.
    func complete()
    /// Returns whether a piece may be written now; otherwise `sinkBecameWritable` is called later.
    func requestCapacity() -> Bool
    /// Whether writing is asynchronous, so that the operation has to wait for `close` before it ends.
    var closesLater: Bool { get }
    /// Calls `action` when all bytes are written, with the error if writing failed.
    func close(then action: @escaping (NetworkingError?) -> Void)
}

extension BodySink {
    package func settle() {}
    package func complete() { settle() }
    package func requestCapacity() -> Bool { true }
    package var closesLater: Bool { false }

    package func close(then action: @escaping (NetworkingError?) -> Void) { action(nil) }
}

/// The destination of a response's body, chosen by the status code.
package enum BodyDestination {
    /// The output file or stream, if the operation has one.
    case output
    case memory
    /// The operation's error: the status code is not accepted.
    case error
}

/// A sink that stores a body in memory.
package final class MemorySink: BodySink {
    @exclusivity(unchecked) package private(set) var data: Data
    package private(set) var byteCount: Int64
    package let byteLimit: Int?

    /// - Parameter data: the bytes received before, if the body is continued.
    package init(_ data: Data = Data(), byteLimit: Int) {
        self.data = data
        self.byteLimit = byteLimit
        byteCount = Int64(data.count)
    }

    /// The maximum number of bytes reserved for a length that a server announces. Above it, memory grows with the
    /// received bytes.
    static let announcedByteLimit: Int64 = 1024 * 1024

    /// Reserves capacity for a body of announced length, because a growing body is copied repeatedly.
    package func reserve(_ byteCount: Int64) {
        guard byteCount > 14 else { return }  // `Data` stores up to 14 bytes inline
        data.reserveCapacity(Int(min(byteCount, Self.announcedByteLimit)))
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        data.append(contentsOf: bytes)
        byteCount += Int64(bytes.count)
    }
}
