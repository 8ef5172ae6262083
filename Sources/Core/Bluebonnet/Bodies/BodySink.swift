// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Where a response's decoded body goes. Network thread only.
///
/// Every byte is taken or the operation fails: a sink that cannot take a piece in full throws.
protocol BodySink: AnyObject {
    /// How many bytes the sink holds: where a paused transfer goes on.
    var byteCount: Int64 { get }
    /// The most it may hold; nil is no limit.
    var byteLimit: Int? { get }
    /// Appends a piece.
    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError)
    /// Submits all kept bytes for writing.
    func settle()
    /// Ends a complete body. Its pending bytes may be written later, when the operation is finished.
    func complete()
    /// Whether a piece may be written now.
    var hasRoom: Bool { get }
    /// Whether writing is asynchronous, so that the end of the operation has to wait for `close`.
    var closesLater: Bool { get }
    /// Calls `action` when everything is written, with the error if writing failed.
    func close(then action: @escaping (NetworkingError?) -> Void)
}

extension BodySink {
    func settle() {}
    func complete() { settle() }
    var hasRoom: Bool { true }
    var closesLater: Bool { false }

    func close(then action: @escaping (NetworkingError?) -> Void) { action(nil) }
}

/// Where a response's body goes, by its status.
enum BodyDestination {
    /// The output file or stream, where there is one.
    case output
    case memory
    /// The operation's error: the status is refused.
    case error
}

/// A body in memory.
final class MemorySink: BodySink {
    @exclusivity(unchecked) private(set) var data: Data
    private(set) var byteCount: Int64
    let byteLimit: Int?

    /// - Parameter data: what there is already, of a body that is continued.
    init(_ data: Data = Data(), byteLimit: Int) {
        self.data = data
        self.byteLimit = byteLimit
        byteCount = Int64(data.count)
    }

    /// The most memory that is reserved because a server has announced a length: beyond it, memory grows with what has
    /// arrived.
    static let announcedByteLimit: Int64 = 1024 * 1024

    /// Reserves capacity for a body of announced length: a growing body is copied repeatedly.
    func reserve(_ byteCount: Int64) {
        guard byteCount > 14 else { return }  // a few bytes need no memory of their own
        data.reserveCapacity(Int(min(byteCount, Self.announcedByteLimit)))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        data.append(contentsOf: bytes)
        byteCount += Int64(bytes.count)
    }
}
